#include "base/text/file_pattern.h"

#include "base/text/ascii_case.h"

namespace inferd::base {

std::optional<std::string_view> StarOf(std::string_view pattern, std::string_view filename) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) {
    return pattern == filename ? std::optional<std::string_view>("") : std::nullopt;
  }
  const std::string_view before = pattern.substr(0, star);
  const std::string_view after = pattern.substr(star + 1);
  if (filename.size() <= before.size() + after.size() || !filename.starts_with(before)) return std::nullopt;
  if (!EqualWithoutCase(filename.substr(filename.size() - after.size()), after)) {
    return std::nullopt;
  }
  return filename.substr(before.size(), filename.size() - before.size() - after.size());
}

std::string WithStar(std::string_view pattern, std::string_view star) {
  const size_t at = pattern.find('*');
  if (at == std::string_view::npos) return std::string(pattern);
  return std::string(pattern.substr(0, at)) + std::string(star) + std::string(pattern.substr(at + 1));
}

}  // namespace inferd::base
