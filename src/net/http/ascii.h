#pragma once

#include <cstddef>
#include <string_view>

namespace inferd::net {

// Letters of field names and tokens, which are ASCII whatever the locale (RFC 9110, 5.1).
constexpr char LowerAscii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

constexpr bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  if (a == b) return true;  // the usual case, at once
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (LowerAscii(a[i]) != LowerAscii(b[i])) return false;
  }
  return true;
}

// Without the spaces and tabs around it, which stand around values and the items of lists (RFC 9110, 5.6.3).
constexpr std::string_view TrimSpace(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace inferd::net
