#include "base/text/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace inferd::base {

namespace {

constexpr uint64_t kHighs = 0x8080808080808080;

uint64_t Load8(const char* p) {
  uint64_t word = 0;
  std::memcpy(&word, p, sizeof(word));
  return word;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p != end) {
    while (end - p >= 8 && (Load8(p) & kHighs) == 0) p += 8;
    if (end - p < 8) {
      unsigned char all = 0;
      for (const char* c = p; c != end; ++c) all |= static_cast<unsigned char>(*c);
      if (all < 0x80) return true;
    }
    const size_t length = Utf8Length(p, end);
    if (length == 0) return false;
    p += length;
  }
  return true;
}

std::string ReplaceMalformedUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 8);
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p != end;) {
    const size_t length = Utf8Length(p, end);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      ++p;
    } else {
      out.append(p, length);
      p += length;
    }
  }
  return out;
}

std::string Shortened(std::string_view text, size_t bytes_max) {
  constexpr size_t kCharacterBytesMax = 4;
  if (text.size() <= bytes_max) return std::string(text);
  const size_t least = bytes_max - std::min(bytes_max, kCharacterBytesMax);
  size_t end = bytes_max;
  while (end > least && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace inferd::base
