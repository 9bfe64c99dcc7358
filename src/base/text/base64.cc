#include "base/text/base64.h"

#include <array>
#include <cstdint>

namespace inferd::base {

namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kNone = 0xFF;

constexpr std::array<uint8_t, 256> kValues = [] {
  std::array<uint8_t, 256> values{};
  values.fill(kNone);
  for (uint8_t i = 0; i < 64; ++i) values[static_cast<unsigned char>(kAlphabet[i])] = i;
  return values;
}();

uint8_t ValueOf(char c) { return kValues[static_cast<unsigned char>(c)]; }

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

char* EncodeBase64(std::string_view bytes, char* out) {
  const auto* p = reinterpret_cast<const unsigned char*>(bytes.data());
  size_t left = bytes.size();
  for (; left >= 3; left -= 3, p += 3) {
    const uint32_t group = uint32_t{p[0]} << 16 | uint32_t{p[1]} << 8 | p[2];
    for (const int shift : {18, 12, 6, 0}) *out++ = kAlphabet[group >> shift & 63];
  }
  if (left == 0) return out;
  const uint32_t group = uint32_t{p[0]} << 16 | (left == 2 ? uint32_t{p[1]} << 8 : 0);
  *out++ = kAlphabet[group >> 18];
  *out++ = kAlphabet[group >> 12 & 63];
  *out++ = left == 2 ? kAlphabet[group >> 6 & 63] : '=';
  *out++ = '=';
  return out;
}

std::optional<size_t> DecodeBase64(std::string_view text, char* out) {
  if (text.size() % 4 != 0) return std::nullopt;
  const char* const begin = out;
  size_t padding = 0;
  if (text.ends_with("==")) {
    padding = 2;
  } else if (text.ends_with('=')) {
    padding = 1;
  }
  for (size_t i = 0; i < text.size(); i += 4) {
    const bool last = i + 4 == text.size();
    const size_t digits = last ? 4 - padding : 4;
    uint32_t group = 0;
    for (size_t k = 0; k < 4; ++k) {
      const uint8_t value = k < digits ? ValueOf(text[i + k]) : 0;
      if (value == kNone) return std::nullopt;
      group = group << 6 | value;
    }
    const size_t bytes = digits - 1;
    if (bytes < 3 && (group & (bytes == 2 ? 0xFFu : 0xFFFFu)) != 0) return std::nullopt;
    for (size_t k = 0; k < bytes; ++k) *out++ = static_cast<char>(group >> (16 - 8 * k));
  }
  return static_cast<size_t>(out - begin);
}

std::string DecodedBase64(std::string text) {
  text.resize(DecodeBase64(text, text.data()).value_or(0));
  return text;
}

std::optional<size_t> DecodeLenientBase64(std::string_view text, char* out) {
  const char* const begin = out;
  uint32_t bits = 0;
  size_t digits = 0;
  size_t padding = 0;
  for (const char c : text) {
    if (IsSpace(c)) continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const uint8_t value = ValueOf(c);
    if (value == kNone || padding > 0) return std::nullopt;
    bits = bits << 6 | value;
    // The first of four digits completes no byte; each of the others completes one.
    if (++digits % 4 != 1) *out++ = static_cast<char>(bits >> (digits % 4 == 2 ? 4 : digits % 4 == 3 ? 2 : 0));
  }
  const size_t missing = (4 - digits % 4) % 4;
  if (missing == 3 || (padding != 0 && padding != missing)) return std::nullopt;
  return static_cast<size_t>(out - begin);
}

}  // namespace inferd::base
