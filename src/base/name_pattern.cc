#include "base/name_pattern.h"

#include <string>

namespace inferd::base {

Result<NamePattern> NamePattern::Create(std::string_view pattern) {
  if (pattern.size() > kPatternBytesMax) {
    return std::unexpected(
        InvalidArgument("a regular expression may have " + std::to_string(kPatternBytesMax) + " bytes"));
  }
  // Uses the library's matcher of bounded time. The default one backtracks, and a hostile name could make it
  // arbitrarily slow.
  auto flags = std::regex::ECMAScript | std::regex::optimize | std::regex_constants::__polynomial;
  std::string_view expression = pattern;
  if (expression.starts_with("(?-i)")) {
    expression.remove_prefix(5);
  } else {
    flags |= std::regex::icase;
    if (expression.starts_with("(?i)")) expression.remove_prefix(4);
  }
  try {
    return NamePattern(std::regex(expression.begin(), expression.end(), flags));
  } catch (const std::regex_error& e) {
    return std::unexpected(
        InvalidArgument("'" + std::string(pattern) + "' is no regular expression that is known here: " + e.what()));
  }
}

bool NamePattern::Matches(std::string_view name) const {
  return name.size() <= kNameBytesMax && std::regex_search(name.begin(), name.end(), regex_);
}

}  // namespace inferd::base
