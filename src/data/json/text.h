#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// The characters of JSON: strings, UTF-8, number tokens. Pure functions over [p, end); none reads past `end`.

namespace inferd::json {

// Returns true if a byte may stand unescaped inside quotes: ASCII from 0x20 on, neither quote nor backslash.
constexpr bool IsPlain(char c) { return c >= 0x20 && static_cast<unsigned char>(c) < 0x80 && c != '"' && c != '\\'; }

// Returns the first byte in [p, end) that is not plain, or `end`.
const char* SkipPlain(const char* p, const char* end);

// The result of scanning the text after an opening quote.
struct ScannedString {
  const char* end = nullptr;    // at the closing quote, or at the offending byte if `fault`
  const char* fault = nullptr;  // an error text, or nullptr
  bool escaped = false;         // has at least one backslash
};

// Scans a string's content from `p` (after the opening quote) to its closing quote. Strict: control characters,
// malformed UTF-8 (RFC 3629: overlong forms, surrogates, above U+10FFFF), unknown escapes and lone surrogate escapes
// are faults.
ScannedString ScanString(const char* p, const char* end);

// Decodes the escapes of `raw`, which ScanString() has accepted, to `out`, which needs at most raw.size() bytes.
// Returns the length.
size_t DecodeString(std::string_view raw, char* out);

struct ScannedNumber {
  const char* end = nullptr;  // after the token; nullptr if there is no number at `p`
  bool integer = false;       // without fraction and exponent
};

// Scans a number (RFC 8259, section 6): no plus sign, no leading zeros, digits on both sides of the point.
ScannedNumber ScanNumber(const char* p, const char* end);

// Returns the length of NaN, Infinity or -Infinity at `p` (with `short_infinity` also of Inf or -Inf), or 0 if there is
// none.
size_t NonFiniteLength(const char* p, const char* end, bool short_infinity = false);

inline bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }

inline const char* SkipSpace(const char* p, const char* end) {
  while (p != end && static_cast<unsigned char>(*p) <= ' ' && IsSpace(*p)) ++p;
  return p;
}

// Describes the text at `p` for an error message: "a string", "'}'", "byte 0xEF", "the end of the text".
std::string Describe(const char* p, const char* end);

// Shortens a long `token` to its beginning, for quotation in an error text.
std::string Shorten(std::string_view token);

}  // namespace inferd::json
