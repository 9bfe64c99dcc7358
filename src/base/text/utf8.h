#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace inferd::base {

// Returns the length, 1 to 4, of the well-formed UTF-8 sequence at `p` (RFC 3629: no overlong forms, no surrogates,
// nothing above U+10FFFF), or 0 if there is none. Requires p < end.
inline size_t Utf8Length(const char* p, const char* end) {
  const auto byte = [&](ptrdiff_t i) { return static_cast<unsigned char>(p[i]); };
  const auto is_tail = [&](ptrdiff_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned char lead = byte(0);
  const ptrdiff_t left = end - p;
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return left >= 2 && is_tail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (left < 3 || !is_tail(1) || !is_tail(2)) return 0;
    if (lead == 0xE0 && byte(1) < 0xA0) return 0;
    if (lead == 0xED && byte(1) > 0x9F) return 0;
    return 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (left < 4 || !is_tail(1) || !is_tail(2) || !is_tail(3)) return 0;
    if (lead == 0xF0 && byte(1) < 0x90) return 0;
    if (lead == 0xF4 && byte(1) > 0x8F) return 0;
    return 4;
  }
  return 0;
}

bool IsUtf8(std::string_view text);

// Returns `text` with each byte outside of a well-formed sequence replaced by U+FFFD.
std::string ReplaceMalformedUtf8(std::string_view text);

// Returns `text`. If it has more than `bytes_max` bytes, it is cut before the character that crosses the limit, and
// "..." is appended.
std::string Shortened(std::string_view text, size_t bytes_max);

}  // namespace inferd::base
