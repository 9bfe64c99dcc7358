#pragma once

#include <optional>
#include <string_view>

#include "data/manifest/problem.h"
#include "data/manifest/read.h"

namespace inferd::manifest {

// Refuses a file's text that is too long, not UTF-8, or has control characters.
std::optional<Problem> CheckSourceText(std::string_view text, const Limits& limits);

// Computes lines and columns for ascending offsets.
class PositionCounter {
 public:
  explicit PositionCounter(std::string_view text) : text_(text) {}
  Position At(size_t offset);

 private:
  std::string_view text_;
  size_t offset_ = 0;
  Position position_{.line = 1, .column = 1};
};

}  // namespace inferd::manifest
