#include "data/json/text.h"

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "base/text/hex.h"
#include "base/text/utf8.h"

namespace inferd::json {

namespace {

constexpr uint64_t kOnes = 0x0101010101010101;
constexpr uint64_t kHighs = 0x8080808080808080;

uint64_t Load8(const char* p) {
  uint64_t word;
  std::memcpy(&word, p, 8);
  return word;
}

// Returns the high bit of each of eight bytes that is not plain. Bits above the lowest set one may be wrong.
uint64_t NotPlain8(uint64_t word) {
  const uint64_t quote = word ^ (kOnes * '"');
  const uint64_t backslash = word ^ (kOnes * '\\');
  return (word | (word - kOnes * 0x20) | (quote - kOnes) | (backslash - kOnes)) & kHighs;
}

// Returns the value of the four hexadecimal digits at `p`, or -1.
int Hex4(const char* p, const char* end) {
  if (end - p < 4) return -1;
  int value = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = base::HexValue(p[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

bool IsHighSurrogate(int unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool IsLowSurrogate(int unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// Returns the length of the escape at `p` (a backslash), or 0 with `fault` set.
size_t ScanEscape(const char* p, const char* end, const char*& fault) {
  if (end - p < 2) {
    fault = "a string is not closed";
    return 0;
  }
  if (p[1] != 'u') {
    if (std::string_view("\"\\/bfnrt").contains(p[1])) return 2;
    fault = "unknown escape in a string";
    return 0;
  }
  const int unit = Hex4(p + 2, end);
  if (unit < 0) {
    fault = "\\u without four hexadecimal digits";
    return 0;
  }
  if (IsHighSurrogate(unit)) {
    if (end - p >= 12 && p[6] == '\\' && p[7] == 'u' && IsLowSurrogate(Hex4(p + 8, end))) return 12;
    fault = "high surrogate escape without a low one";
    return 0;
  }
  if (IsLowSurrogate(unit)) {
    fault = "low surrogate escape without a high one";
    return 0;
  }
  return 6;
}

char* EncodeUtf8(uint32_t point, char* out) {
  if (point < 0x80) {
    *out++ = static_cast<char>(point);
  } else if (point < 0x800) {
    *out++ = static_cast<char>(0xC0 | (point >> 6));
    *out++ = static_cast<char>(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    *out++ = static_cast<char>(0xE0 | (point >> 12));
    *out++ = static_cast<char>(0x80 | ((point >> 6) & 0x3F));
    *out++ = static_cast<char>(0x80 | (point & 0x3F));
  } else {
    *out++ = static_cast<char>(0xF0 | (point >> 18));
    *out++ = static_cast<char>(0x80 | ((point >> 12) & 0x3F));
    *out++ = static_cast<char>(0x80 | ((point >> 6) & 0x3F));
    *out++ = static_cast<char>(0x80 | (point & 0x3F));
  }
  return out;
}

char UnescapeLetter(char c) {
  switch (c) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return c;  // quote, backslash, slash
  }
}

const char* SkipDigits(const char* p, const char* end) {
  while (p != end && IsDigit(*p)) ++p;
  return p;
}

}  // namespace

const char* SkipPlain(const char* p, const char* end) {
  static_assert(std::endian::native == std::endian::little);
  for (; end - p >= 8; p += 8) {
    if (const uint64_t found = NotPlain8(Load8(p)); found != 0) return p + std::countr_zero(found) / 8;
  }
  while (p != end && IsPlain(*p)) ++p;
  return p;
}

ScannedString ScanString(const char* p, const char* end) {
  bool escaped = false;
  const char* fault = nullptr;
  while (true) {
    p = SkipPlain(p, end);
    if (p == end) return {p, "a string is not closed", escaped};
    const auto c = static_cast<unsigned char>(*p);
    size_t length = 1;
    if (c == '"') return {p, nullptr, escaped};
    if (c == '\\') {
      escaped = true;
      length = ScanEscape(p, end, fault);
      if (length == 0) return {p, fault, escaped};
    } else if (c < 0x20) {
      return {p, "control character in a string (write it as \\u00XX)", escaped};
    } else if (c >= 0x80) {
      length = base::Utf8Length(p, end);
      if (length == 0) return {p, "a string is not valid UTF-8", escaped};
    }
    p += length;
  }
}

size_t DecodeString(std::string_view raw, char* out) {
  const char* const begin = out;
  const char* p = raw.data();
  const char* const end = p + raw.size();
  while (p != end) {
    const void* backslash = std::memchr(p, '\\', static_cast<size_t>(end - p));
    const char* const stop = backslash == nullptr ? end : static_cast<const char*>(backslash);
    std::memcpy(out, p, static_cast<size_t>(stop - p));
    out += stop - p;
    p = stop;
    if (p == end) break;
    if (p[1] != 'u') {
      *out++ = UnescapeLetter(p[1]);
      p += 2;
      continue;
    }
    const int unit = Hex4(p + 2, end);
    p += 6;
    uint32_t point = static_cast<uint32_t>(unit);
    if (IsHighSurrogate(unit)) {
      point = 0x10000 + (static_cast<uint32_t>(unit - 0xD800) << 10) + static_cast<uint32_t>(Hex4(p + 2, end) - 0xDC00);
      p += 6;
    }
    out = EncodeUtf8(point, out);
  }
  return static_cast<size_t>(out - begin);
}

ScannedNumber ScanNumber(const char* p, const char* end) {
  bool integer = true;
  if (p != end && *p == '-') ++p;
  const char* const digits = p;
  p = SkipDigits(p, end);
  if (p == digits || (*digits == '0' && p - digits > 1)) return {};
  if (p != end && *p == '.') {
    integer = false;
    const char* const fraction = ++p;
    p = SkipDigits(p, end);
    if (p == fraction) return {};
  }
  if (p != end && (*p == 'e' || *p == 'E')) {
    integer = false;
    ++p;
    if (p != end && (*p == '+' || *p == '-')) ++p;
    const char* const exponent = p;
    p = SkipDigits(p, end);
    if (p == exponent) return {};
  }
  return {p, integer};
}

size_t NonFiniteLength(const char* p, const char* end, bool short_infinity) {
  const std::string_view rest(p, static_cast<size_t>(end - p));
  for (const std::string_view token : {"NaN", "Infinity", "-Infinity"}) {
    if (rest.starts_with(token)) return token.size();
  }
  if (!short_infinity) return 0;
  return rest.starts_with("Inf") ? 3 : rest.starts_with("-Inf") ? 4 : 0;
}

std::string Shorten(std::string_view token) {
  return token.size() <= 40 ? std::string(token) : std::string(token.substr(0, 37)) + "...";
}

std::string Describe(const char* p, const char* end) {
  if (p == end) return "the end of the text";
  const auto c = static_cast<unsigned char>(*p);
  if (c == '"') return "a string";
  if (c == '-' || IsDigit(*p)) return "a number";
  if (c == '{') return "an object";
  if (c == '[') return "an array";
  for (const std::string_view word : {"true", "false", "null", "NaN", "Infinity"}) {
    if (std::string_view(p, static_cast<size_t>(end - p)).starts_with(word)) return std::string(word);
  }
  if (c > 0x20 && c < 0x7F) return {'\'', *p, '\''};
  char text[16];
  std::snprintf(text, sizeof text, "byte 0x%02X", c);
  return text;
}

}  // namespace inferd::json
