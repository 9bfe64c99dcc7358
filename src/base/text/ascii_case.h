#pragma once

#include <cstddef>
#include <string_view>

// ASCII letters without regard to case, whatever the locale.

namespace inferd::base {

constexpr char LowerAscii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

// Returns true if both texts are equal, ignoring the case of ASCII letters.
constexpr bool EqualWithoutCase(std::string_view a, std::string_view b) {
  if (a == b) return true;  // the usual case, checked first
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (LowerAscii(a[i]) != LowerAscii(b[i])) return false;
  }
  return true;
}

}  // namespace inferd::base
