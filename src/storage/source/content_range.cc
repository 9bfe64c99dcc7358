#include "storage/source/content_range.h"

#include <charconv>
#include <limits>

#include "base/text/ascii_case.h"

namespace inferd::storage {

namespace {

constexpr std::string_view kUnit = "bytes ";

// Returns the text after the unit, which is compared ignoring case.
std::optional<std::string_view> BehindUnit(std::string_view text) {
  if (!base::EqualWithoutCase(text.substr(0, kUnit.size()), kUnit)) return std::nullopt;
  return text.substr(kUnit.size());
}

}  // namespace

std::optional<uint64_t> ReadNumber(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<ContentRange> ParseContentRange(std::string_view text) {
  const auto rest = BehindUnit(text);
  if (!rest.has_value()) return std::nullopt;
  const size_t dash = rest->find('-');
  const size_t slash = rest->find('/');
  if (dash == std::string_view::npos || slash == std::string_view::npos || slash < dash) return std::nullopt;
  const auto first = ReadNumber(rest->substr(0, dash));
  const auto last = ReadNumber(rest->substr(dash + 1, slash - dash - 1));
  const std::string_view size_text = rest->substr(slash + 1);
  const auto size = ReadNumber(size_text);
  if (!first.has_value() || !last.has_value() || (!size.has_value() && size_text != "*")) return std::nullopt;
  if (*last < *first || *last == std::numeric_limits<uint64_t>::max()) return std::nullopt;
  if (size.has_value() && *last >= *size) return std::nullopt;
  return ContentRange{.begin = *first, .end = *last + 1, .size = size};
}

std::optional<uint64_t> ParseUnsatisfiedRange(std::string_view text) {
  const auto rest = BehindUnit(text);
  if (!rest.has_value() || !rest->starts_with("*/")) return std::nullopt;
  return ReadNumber(rest->substr(2));
}

}  // namespace inferd::storage
