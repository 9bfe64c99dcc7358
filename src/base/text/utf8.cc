#include "base/text/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace inferd::base {

namespace {

template <typename Word>
constexpr Word kHighs = static_cast<Word>(0x8080808080808080);

template <typename Word>
Word Load(const char* p) {
  Word word = 0;
  std::memcpy(&word, p, sizeof(word));
  return word;
}

// Checks fewer than 8 bytes for ASCII. Names of tensors and datatypes are so short.
bool IsAsciiTail(const char* p, size_t size) {
  if (size >= 4) return ((Load<uint32_t>(p) | Load<uint32_t>(p + size - 4)) & kHighs<uint32_t>) == 0;
  unsigned char all = 0;
  for (size_t i = 0; i < size; ++i) all |= static_cast<unsigned char>(p[i]);
  return all < 0x80;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p != end) {
    while (end - p >= 8 && (Load<uint64_t>(p) & kHighs<uint64_t>) == 0) p += 8;
    if (end - p < 8 && IsAsciiTail(p, static_cast<size_t>(end - p))) return true;
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
