#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// The characters of JSON: strings, UTF-8, number tokens. Pure functions over [p, end); nothing reads past `end`.

namespace inferd::json {

// Plain bytes stand inside quotes as they are: ASCII from 0x20 on, neither quote nor backslash.
constexpr bool IsPlain(char c) { return c >= 0x20 && static_cast<unsigned char>(c) < 0x80 && c != '"' && c != '\\'; }

// The first byte in [p, end) that is not plain, or `end`.
const char* SkipPlain(const char* p, const char* end);

// What follows an opening quote.
struct ScannedString {
  const char* end = nullptr;    // at the closing quote; at the offending byte if `fault`
  const char* fault = nullptr;  // what is wrong, in words; nullptr if nothing is
  bool escaped = false;         // holds at least one backslash
};

// Scans string content from `p` (behind the opening quote) to its closing quote. Strict: control characters, malformed
// UTF-8 (RFC 3629: overlong forms, surrogates, above U+10FFFF), unknown escapes and lone surrogate escapes are faults.
ScannedString ScanString(const char* p, const char* end);

// Decodes the escapes of `raw`, which ScanString has accepted, to `out` (raw.size() bytes suffice). Returns the length.
size_t DecodeString(std::string_view raw, char* out);

struct ScannedNumber {
  const char* end = nullptr;  // behind the token; nullptr if there is no number at `p`
  bool integer = false;       // neither fraction nor exponent
};

// RFC 8259, section 6: no plus sign, no leading zeros, digits on both sides of the point.
ScannedNumber ScanNumber(const char* p, const char* end);

// The length of the NaN, Infinity or -Infinity at `p`, or of the Inf or -Inf with `short_infinity`; 0 if there is none.
size_t NonFiniteLength(const char* p, const char* end, bool short_infinity = false);

inline bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }

inline const char* SkipSpace(const char* p, const char* end) {
  while (p != end && static_cast<unsigned char>(*p) <= ' ' && IsSpace(*p)) ++p;
  return p;
}

// What stands at `p`, for an error text: "a string", "'}'", "byte 0xEF", "the end of the text".
std::string Describe(const char* p, const char* end);

// What of `token` an error text quotes: all of it, or its beginning if it is long.
std::string Shorten(std::string_view token);

}  // namespace inferd::json
