#pragma once

#include <cstddef>
#include <regex>
#include <string_view>

#include "base/status.h"

namespace inferd::base {

// A regular expression (ECMAScript's) for short names that strangers choose, such as those of headers. It matches
// anywhere in a name unless it says ^ or $, and without regard to case unless it begins with "(?-i)". No
// back-references: the time grows with the name's length, whatever the expression. Immutable and thread-safe.
class NamePattern final {
 public:
  static constexpr size_t kPatternBytesMax = 1'000;
  static constexpr size_t kNameBytesMax = 256;

  // INVALID_ARGUMENT with what is wrong.
  static Result<NamePattern> Create(std::string_view pattern);

  // False for names beyond kNameBytesMax.
  bool Matches(std::string_view name) const;

 private:
  explicit NamePattern(std::regex regex) : regex_(std::move(regex)) {}

  std::regex regex_;
};

}  // namespace inferd::base
