#pragma once

#include <optional>
#include <string_view>

namespace inferd::net {

// One item of a list with weights, as in Accept and Accept-Encoding (RFC 9110, 12.4.2).
struct WeightedItem {
  static constexpr int kWeightMax = 1000;  // q=1.000

  std::string_view name;  // without its parameters; may be empty
  int weight = kWeightMax;
  bool has_parameters = false;  // true if it has parameters other than q
};

// Reads such a list from the front. Its items are views into the text.
class WeightedList {
 public:
  explicit WeightedList(std::string_view text) : rest_(text) {}

  // Returns the next item, or nullopt after the last one and at an item with a malformed weight. Skips parameters other
  // than q.
  std::optional<WeightedItem> Next();
  bool malformed() const { return malformed_; }

 private:
  std::string_view rest_;
  bool malformed_ = false;
};

}  // namespace inferd::net
