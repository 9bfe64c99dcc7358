#include "data/tensorjson/decimal.h"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "data/tensor/half.h"

namespace inferd::tensorjson {

namespace {

template <typename T>
T FromText(std::string_view token) {
  T value = 0;
  fast_float::from_chars(token.data(), token.data() + token.size(), value);
  return value;
}

// A decimal number: its digits without leading and trailing zeros, and the power of ten of the first.
struct Digits {
  std::string digits;
  int64_t power = 0;
};

Digits DigitsOf(std::string_view token, int64_t exponent) {
  Digits out;
  const size_t mantissa_end = std::min(token.find_first_of("eE"), token.size());
  const std::string_view mantissa = token.substr(0, mantissa_end);
  const size_t point = std::min(mantissa.find('.'), mantissa.size());
  for (const char c : mantissa) {
    if (json::IsDigit(c)) out.digits += c;
  }
  out.power = exponent + static_cast<int64_t>(point) - (mantissa.starts_with('-') ? 1 : 0) - 1;
  const size_t leading = std::min(out.digits.find_first_not_of('0'), out.digits.size());
  out.digits.erase(0, leading);
  out.power -= static_cast<int64_t>(leading);
  out.digits.erase(out.digits.find_last_not_of('0') + 1);
  return out;
}

int64_t ExponentOf(std::string_view token) {
  const size_t at = token.find_first_of("eE");
  if (at == std::string_view::npos) return 0;
  token.remove_prefix(at + 1);
  if (token.starts_with('+')) token.remove_prefix(1);
  int64_t exponent = 0;
  std::from_chars(token.data(), token.data() + token.size(), exponent);
  return exponent;
}

// Compares the text's exact magnitude with that of `value`, which is a tie between 16-bit neighbours and so has at most
// about a hundred significant digits.
tensor::Remainder CompareExactly(std::string_view token, double value) {
  char text[256];
  const std::to_chars_result printed =
      std::to_chars(text, text + sizeof text, std::abs(value), std::chars_format::scientific, 200);
  const std::string_view exact(text, static_cast<size_t>(printed.ptr - text));
  const Digits a = DigitsOf(token, ExponentOf(token));
  const Digits b = DigitsOf(exact, ExponentOf(exact));
  if (a.power != b.power) return a.power < b.power ? tensor::Remainder::kBelow : tensor::Remainder::kAbove;
  const int order = a.digits.compare(b.digits);
  if (order == 0) return tensor::Remainder::kNone;
  return order < 0 ? tensor::Remainder::kBelow : tensor::Remainder::kAbove;
}

}  // namespace

size_t internal::CountSignificant(const char* p, const char* end) {
  while (p != end && (*p == '0' || *p == '.')) ++p;
  return static_cast<size_t>(std::count_if(p, end, json::IsDigit));
}

template <typename T>
T internal::Round(const Decimal& decimal, std::string_view token) {
  if (!decimal.exact) return FromText<T>(token);
  using Format = fast_float::binary_format<T>;
  const fast_float::adjusted_mantissa bits = fast_float::compute_float<Format>(decimal.exponent, decimal.digits);
  if (bits.power2 < 0) return FromText<T>(token);
  T value;
  fast_float::to_float(decimal.negative, bits, value);
  return value;
}

template float internal::Round(const Decimal&, std::string_view);
template double internal::Round(const Decimal&, std::string_view);

uint16_t ToHalf(const Decimal& decimal, std::string_view token) {
  const double value = ToDouble(decimal, token);
  if (!tensor::IsHalfTie(value)) return tensor::DoubleToHalf(value);
  return tensor::DoubleToHalf(value, CompareExactly(token, value));
}

uint16_t ToBf16(const Decimal& decimal, std::string_view token) {
  const double value = ToDouble(decimal, token);
  if (!tensor::IsBf16Tie(value)) return tensor::DoubleToBf16(value);
  return tensor::DoubleToBf16(value, CompareExactly(token, value));
}

}  // namespace inferd::tensorjson
