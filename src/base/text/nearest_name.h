#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace inferd::config {

// Finds the name, among the candidates, that `name` was probably meant to be.
class NearestName {
 public:
  explicit NearestName(std::string_view name) : name_(name) {}
  void Offer(std::string_view candidate);
  // Returns " (did you mean '<prefix>name'?)", or "".
  std::string Suggestion(std::string_view prefix = "") const;

 private:
  std::string name_;
  std::string nearest_;
  size_t distance_ = 0;
};

}  // namespace inferd::config
