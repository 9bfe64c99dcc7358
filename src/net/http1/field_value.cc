#include "net/http1/field_value.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace inferd::net::http1 {

namespace {

constexpr size_t kWord = sizeof(uint64_t);

// Returns true if any of the 8 bytes at `p` is a control character (tab included). May return a false positive.
bool MayHoldControl(const char* p) {
  constexpr uint64_t kOnes = ~uint64_t{0} / 255;
  uint64_t word = 0;
  std::memcpy(&word, p, kWord);
  const uint64_t below_space = (word - kOnes * 0x20) & ~word;
  const uint64_t delete_xor = word ^ (kOnes * 0x7f);
  const uint64_t is_delete = (delete_xor - kOnes) & ~delete_xor;
  return ((below_space | is_delete) & (kOnes * 0x80)) != 0;
}

bool IsFieldCharacter(char c) { return (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) || c == '\t'; }

}  // namespace

// Checks eight bytes at a time as long as none may be a control character. The last eight may overlap those before
// them.
bool IsFieldValue(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  if (text.size() >= kWord) {
    while (end - p > static_cast<ptrdiff_t>(kWord) && !MayHoldControl(p)) p += kWord;
    if (end - p <= static_cast<ptrdiff_t>(kWord) && !MayHoldControl(end - kWord)) return true;
  }
  return std::all_of(p, end, IsFieldCharacter);
}

}  // namespace inferd::net::http1
