#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace inferd::base {

// Appends the lowest `digits` hexadecimal digits of a number, most significant first, in lower case.
inline void AppendHex(std::string& text, uint64_t number, int digits) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr int kBits = 4;
  while (digits-- > 0) text += kDigits[(number >> (kBits * digits)) & 15];
}

// Returns the value of a hexadecimal digit in either case, or -1 if `c` is none.
inline int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace inferd::base
