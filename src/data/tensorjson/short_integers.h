#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "data/tensorjson/decimal.h"

namespace inferd::tensorjson {

// A codec of DataParser that stores whole numbers of few digits exactly.
template <typename Codec>
concept TakesShortIntegers = requires(uint32_t value) {
  { Codec::kShortMax } -> std::convertible_to<uint32_t>;
  { Codec::FromShort(value) } -> std::same_as<typename Codec::Out>;
};

// The largest number of seven digits.
inline constexpr uint32_t kShortIntegerMax = 9'999'999;

namespace internal {

#if defined(__SSE2__)
// A classification of sixteen bytes: bit i of each mask is byte i.
struct SixteenBytes {
  uint32_t commas;
  uint32_t brackets;  // closing brackets
  uint32_t spaces;
  uint32_t digits;
};

inline SixteenBytes LookAtSixteen(const char* p) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  const auto mask = [](__m128i equal) { return static_cast<uint32_t>(_mm_movemask_epi8(equal)); };
  // '0' to '9' become the ten lowest signed bytes.
  const __m128i shifted = _mm_add_epi8(bytes, _mm_set1_epi8(static_cast<char>(-128 - '0')));
  return {.commas = mask(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(','))),
          .brackets = mask(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(']'))),
          .spaces = mask(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' '))),
          .digits = mask(_mm_cmplt_epi8(shifted, _mm_set1_epi8(-128 + 10)))};
}

// Returns true for digits and commas only, or with a space after each comma.
inline bool IsPlain(const SixteenBytes& look) {
  const bool spaced = look.spaces != 0;
  return (look.digits | look.commas | look.spaces) == 0xFFFF && (!spaced || look.spaces == (look.commas << 1 & 0xFFFF));
}
#endif

// Stores the number of `digits` digits at p, at least one, without leading zeros. Returns false if Codec refuses it.
template <typename Codec>
bool StoreShort(const char* p, int digits, typename Codec::Out* out) {
  const uint64_t word = Load8(p);
  const uint64_t value = DigitsValue(word, digits);
  *out = Codec::FromShort(static_cast<uint32_t>(value));
  const bool leading_zero = (word & 0xFF) == '0' && digits > 1;
  return !leading_zero && value <= Codec::kShortMax;
}

// Reads elements of up to three digits in batches: as many as sixteen bytes hold in any case, so that no branch depends
// on their lengths. Contract as ReadShortIntegers().
template <typename Codec>
const char* ReadTinyIntegers(const char* p, const char* end, typename Codec::Out*& out, size_t& room) {
#if defined(__SSE2__)
  constexpr int kUnspaced = 4;
  constexpr int kSpaced = 3;
  while (end - p > 24 && room >= kUnspaced) {
    const SixteenBytes look = LookAtSixteen(p);
    const bool spaced = look.spaces != 0;
    const int count = spaced ? kSpaced : kUnspaced;
    if (!IsPlain(look)) break;
    bool good = true;
    // An element that does not end within these bytes is treated as if it ended just after them, for now.
    uint32_t commas = look.commas | 0xFFFF0000;
    int at = 0;
    int comma = 0;
    for (int i = 0; i < count; ++i) {
      comma = std::countr_zero(commas);
      commas &= commas - 1;
      const int digits = comma - at;
      good &= digits >= 1 && digits <= 3 && StoreShort<Codec>(p + at, digits & 3, out + i);
      at = comma + 1 + (spaced ? 1 : 0);
    }
    if (!good || comma >= 16) break;
    out += count;
    room -= static_cast<size_t>(count);
    p += at;
  }
#endif
  return p;
}

}  // namespace internal

// Reads elements of a row in the form of pixels and token ids: one to seven digits, a comma, and at most one space.
// Stores up to `room` elements at `out`. Returns the start of the first element that has another form or is the last of
// its row; the following reader decides whether it is valid. Memory after the stored elements, within `room`, may be
// overwritten. Precondition as in decimal.h.
//
// Examines digits and commas as words, so that varying lengths cause no branch mispredictions.
template <TakesShortIntegers Codec>
const char* ReadShortIntegers(const char* p, const char* end, typename Codec::Out*& out, size_t room) {
  p = internal::ReadTinyIntegers<Codec>(p, end, out, room);
  for (; room > 0 && end - p > 8; --room) {
    const uint64_t word = internal::Load8(p);
    const int digits = internal::LeadingDigits(word);
    if (digits == 0 || digits == 8 || (word >> (8 * digits) & 0xFF) != ',') break;
    if (!internal::StoreShort<Codec>(p, digits, out)) break;
    ++out;
    p += digits + 1;
    if (*p == ' ') ++p;
  }
  return p;
}

}  // namespace inferd::tensorjson
