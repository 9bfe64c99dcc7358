#pragma once

#include <cstddef>
#include <regex>
#include <string_view>

#include "base/status.h"

namespace inferd::base {

// A regular expression (ECMAScript) for short names from untrusted sources, such as header names. It matches anywhere
// in a name unless it has ^ or $, and ignores case unless it begins with "(?-i)". Back-references are not supported, so
// that matching time grows linearly with the name's length. Immutable and thread-safe.
class NamePattern final {
 public:
  static constexpr size_t kPatternBytesMax = 1'000;
  static constexpr size_t kNameBytesMax = 256;

  // INVALID_ARGUMENT, with the reason, if the pattern is invalid.
  static Result<NamePattern> Create(std::string_view pattern);

  // Returns false for names longer than kNameBytesMax.
  bool Matches(std::string_view name) const;

 private:
  explicit NamePattern(std::regex regex) : regex_(std::move(regex)) {}

  std::regex regex_;
};

}  // namespace inferd::base
