#pragma once

#include <optional>
#include <string_view>

namespace inferd::net {

// One item of a list with weights, as Accept and Accept-Encoding have them (RFC 9110, 12.4.2).
struct WeightedItem {
  static constexpr int kWeightMax = 1000;  // q=1.000

  std::string_view name;  // without its parameters; perhaps empty
  int weight = kWeightMax;
  bool has_parameters = false;  // others than q
};

// Reads such a list from the front. Views into the text.
class WeightedList {
 public:
  explicit WeightedList(std::string_view text) : rest_(text) {}

  // The next item; nullopt behind the last, and at one whose weight is malformed. Parameters other than q are passed
  // over.
  std::optional<WeightedItem> Next();
  bool malformed() const { return malformed_; }

 private:
  std::string_view rest_;
  bool malformed_ = false;
};

}  // namespace inferd::net
