#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "data/tensorjson/short_integers.h"

namespace inferd::tensorjson {

// Rows with more elements than this are runs of their own (ReadShortIntegers).
inline constexpr size_t kShortRowSizeMax = 4;

namespace internal {

#if defined(__SSE2__)
// Stores the `size` elements of the row after the '[' at p to `out`. Returns the byte after its ']', or nullptr if the
// row has another form or does not end within sixteen bytes. Reads up to kRowLook bytes.
inline constexpr ptrdiff_t kRowLook = 32;

template <typename Codec>
const char* ReadTinyRow(const char* p, size_t size, typename Codec::Out* out) {
  const SixteenBytes look = LookAtSixteen(p);
  // Elements that do not end within these bytes are treated as ending after them, one per byte, and then found to be
  // invalid: no branch depends on them.
  uint32_t ends = look.commas | look.brackets | 0xFFFF0000;
  bool good = true;
  int at = 0;
  int element_end = 0;
  for (size_t i = 0; i < size; ++i) {
    element_end = std::countr_zero(ends);
    ends &= ends - 1;
    const int digits = element_end - at;
    const uint32_t all = (1U << (digits & 31)) - 1;
    good &= digits >= 1 && digits <= 3 && (look.digits >> at & all) == all;
    good &= (look.brackets >> element_end & 1) == (i + 1 == size ? 1U : 0U);
    good &= StoreShort<Codec>(p + at, digits & 3, out + i);
    at = element_end + 1 + static_cast<int>(look.spaces >> (element_end + 1) & 1);
  }
  return good ? p + element_end + 1 : nullptr;
}
#endif

}  // namespace internal

// Reads rows in the form of an image's pixels: lists of `size` elements, at most kShortRowSizeMax, of up to three
// digits each, with at most one space after each comma: "[12,0,255],[13,0,255],...". Stores whole rows at `out`, at
// most `room` elements. Returns the '[' of the first row that has another form, or that no other row follows; the
// following reader decides whether it is valid. Memory after the stored elements, within `room`, may be overwritten.
// Precondition: p != end; as in decimal.h.
template <TakesShortIntegers Codec>
const char* ReadShortRows(const char* p, const char* end, size_t size, typename Codec::Out*& out, size_t room) {
#if defined(__SSE2__)
  for (; *p == '[' && end - p > internal::kRowLook && room >= size; room -= size) {
    const char* next = internal::ReadTinyRow<Codec>(p + 1, size, out);
    if (next == nullptr || *next != ',') break;
    ++next;
    if (*next == ' ') ++next;
    if (*next != '[') break;
    out += size;
    p = next;
  }
#endif
  return p;
}

}  // namespace inferd::tensorjson
