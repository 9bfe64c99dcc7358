#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace inferd::net {

// Lower case for field names and tokens, which are ASCII whatever the locale (RFC 9110, 5.1).
constexpr char LowerAscii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

constexpr bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  if (a == b) return true;  // the usual case, checked first
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (LowerAscii(a[i]) != LowerAscii(b[i])) return false;
  }
  return true;
}

// Returns `text` without the spaces and tabs around it, as values and list items may have them (RFC 9110, 5.6.3).
constexpr std::string_view TrimSpace(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Calls `each` for each item of a comma-separated list of tokens, without the space around it.
template <typename Each>
void ForEachToken(std::string_view list, Each each) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    each(TrimSpace(list.substr(0, comma)));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

}  // namespace inferd::net
