#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "data/json/text.h"

// Converts decimal text to binary floating point, with one rounding. It collects the digits while it checks the
// grammar, so that a number is read once; fast_float turns them into bits.
//
// Precondition everywhere: at or after the end of each number, [p, end) has a byte that cannot belong to a number, so
// that a scan stops by itself.

namespace inferd::tensorjson {

// The number digits x 10^exponent. Not `exact` if it has more than 19 significant digits or a huge exponent; then its
// text is used.
struct Decimal {
  uint64_t digits = 0;
  int64_t exponent = 0;
  bool negative = false;
  bool exact = true;
};

namespace internal {

inline constexpr size_t kExactDigits = 19;

inline uint64_t Load8(const char* p) {
  uint64_t word;
  std::memcpy(&word, p, 8);
  return word;
}

// Returns how many of eight bytes, starting at the lowest place, are '0' to '9' before the first one that is not.
inline int LeadingDigits(uint64_t word) {
  // A byte carries into the next one only if it is not a digit itself.
  const uint64_t others = ((word + 0x4646464646464646) | (word - 0x3030303030303030)) & 0x8080808080808080;
  return std::countr_zero(others) / 8;
}

// Returns the value of the first `count` of eight bytes, all digits. Combines pairs, then fours, then all, each step in
// one multiplication.
inline uint64_t DigitsValue(uint64_t word, int count) {
  if (count == 0) return 0;
  word = (word - 0x3030303030303030) << (64 - 8 * count);  // leading zeros
  word = word * 10 + (word >> 8);
  return ((word & 0x000000FF000000FF) * 0x000F424000000064 + (word >> 16 & 0x000000FF000000FF) * 0x0000271000000001) >>
         32;
}

// Appends the digits at `p` to `digits`, which wraps around, and returns their end. Lengths of numbers are random: a
// loop over their bytes would cost a branch misprediction for each.
inline const char* ScanDigits(const char* p, const char* end, uint64_t& digits) {
  static constexpr uint64_t kPowers[] = {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
  while (end - p >= 8) {
    const uint64_t word = Load8(p);
    const int count = LeadingDigits(word);
    digits = digits * kPowers[count] + DigitsValue(word, count);
    p += count;
    if (count < 8) return p;
  }
  for (; json::IsDigit(*p); ++p) digits = digits * 10 + static_cast<uint64_t>(*p - '0');
  return p;
}

// Returns the number of significant digits of [p, end), a mantissa's text.
size_t CountSignificant(const char* p, const char* end);

}  // namespace internal

// Reads the number at `p` per RFC 8259, section 6. Returns its end, or nullptr if there is none.
inline const char* ScanDecimal(const char* p, const char* end, Decimal& out) {
  out = {};
  out.negative = *p == '-';
  p += out.negative;  // without a branch, since the sign is unpredictable
  const char* const mantissa = p;
  if (json::IsDigit(*p) && p[1] == '.') {
    out.digits = static_cast<uint64_t>(*p++ - '0');
  } else {
    p = internal::ScanDigits(p, end, out.digits);
  }
  const auto whole = static_cast<size_t>(p - mantissa);
  if (whole == 0 || (*mantissa == '0' && whole > 1)) return nullptr;
  size_t count = whole;
  if (*p == '.') {
    const char* const fraction = ++p;
    p = internal::ScanDigits(p, end, out.digits);
    if (p == fraction) return nullptr;
    out.exponent = fraction - p;
    count += static_cast<size_t>(p - fraction);
  }
  if (count > internal::kExactDigits && internal::CountSignificant(mantissa, p) > internal::kExactDigits)
    out.exact = false;
  if ((*p | 0x20) == 'e') {
    ++p;
    const bool negative = *p == '-';
    if (negative || *p == '+') ++p;
    const char* const power = p;
    int64_t exponent = 0;
    for (; json::IsDigit(*p); ++p) exponent = exponent < 100'000 ? exponent * 10 + (*p - '0') : exponent;
    if (p == power) return nullptr;
    if (exponent >= 100'000) out.exact = false;
    out.exponent += negative ? -exponent : exponent;
  }
  return p;
}

namespace internal {

// The powers of ten, and the digits up to kDigitsMax, that the type represents exactly: then one rounding makes the
// quotient or product correct (Clinger's fast path).
template <typename T>
struct Exact;

template <>
struct Exact<float> {
  static constexpr uint64_t kDigitsMax = uint64_t{1} << 24;
  static constexpr int64_t kPowerMax = 10;
  static constexpr float kPowers[] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1e9f, 1e10f};
};

template <>
struct Exact<double> {
  static constexpr uint64_t kDigitsMax = uint64_t{1} << 53;
  static constexpr int64_t kPowerMax = 22;
  static constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
};

// Rounds any decimal.
template <typename T>
T Round(const Decimal& decimal, std::string_view token);

template <typename T>
T Nearest(const Decimal& decimal, std::string_view token) {
  if (!decimal.exact || decimal.digits > Exact<T>::kDigitsMax || decimal.exponent < -Exact<T>::kPowerMax ||
      decimal.exponent > Exact<T>::kPowerMax) {
    return Round<T>(decimal, token);
  }
  T value = static_cast<T>(static_cast<int64_t>(decimal.digits));
  if (decimal.exponent < 0) value /= Exact<T>::kPowers[-decimal.exponent];
  if (decimal.exponent > 0) value *= Exact<T>::kPowers[decimal.exponent];
  return decimal.negative ? -value : value;
}

}  // namespace internal

// Returns the value nearest to `decimal`, whose text is `token`, or infinity if it overflows.
inline float ToFloat(const Decimal& decimal, std::string_view token) {
  return internal::Nearest<float>(decimal, token);
}
inline double ToDouble(const Decimal& decimal, std::string_view token) {
  return internal::Nearest<double>(decimal, token);
}

// Returns the bits of the 16-bit formats, rounded from the exact decimal, not from a double.
uint16_t ToHalf(const Decimal& decimal, std::string_view token);
uint16_t ToBf16(const Decimal& decimal, std::string_view token);

}  // namespace inferd::tensorjson
