#include "data/tensorjson/short_decimal.h"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

namespace inferd::tensorjson {

namespace {

constexpr int kFewDigits = 6;
constexpr int kFloatDigits = std::numeric_limits<float>::max_digits10;

// Adds ".0" to a number without point and exponent, which would read as an integer.
char* WithPoint(char* begin, char* end) {
  const bool like_integer = std::none_of(begin, end, [](char c) { return c == '.' || c == 'e'; });
  return like_integer ? std::copy_n(".0", 2, end) : end;
}

// Prints whole numbers of up to six digits on the faster path for integers. nullptr if `value` is not one.
template <typename T>
char* PrintWhole(char* out, T value) {
  constexpr T kWholeMax = 1'000'000;
  if (!(std::abs(value) < kWholeMax)) return nullptr;
  const auto whole = static_cast<int32_t>(value);
  if (static_cast<T>(whole) != value) return nullptr;
  if (whole == 0 && std::signbit(value)) *out++ = '-';
  return std::copy_n(".0", 2, std::to_chars(out, out + kShortDecimalMax, whole).ptr);
}

// Prints literally by the rule.
template <typename T>
char* PrintByRule(char* out, T value) {
  char* const limit = out + kShortDecimalMax;
  char* end = std::to_chars(out, limit, value, std::chars_format::general, kFewDigits).ptr;
  T read = 0;
  fast_float::from_chars(out, end, read);
  if (read != value) {
    end = std::to_chars(out, limit, value, std::chars_format::general, std::numeric_limits<T>::max_digits10).ptr;
  }
  return WithPoint(out, end);
}

constexpr std::array<double, 23> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                            1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Prints `digits` x 10^(exponent - count + 1), where `digits` has `count` digits, like printf's %g.
char* PrintDigits(char* out, uint32_t digits, int count, int exponent) {
  const int precision = count;
  for (; digits % 10 == 0; digits /= 10) --count;
  char text[10];
  for (int i = count; i-- > 0; digits /= 10) text[i] = static_cast<char>('0' + digits % 10);
  if (exponent < -4 || exponent >= precision) {
    *out++ = text[0];
    if (count > 1) *out++ = '.';
    out = std::copy(text + 1, text + count, out);
    *out++ = 'e';
    *out++ = exponent < 0 ? '-' : '+';
    const int size = std::abs(exponent);
    *out++ = static_cast<char>('0' + size / 10);
    *out++ = static_cast<char>('0' + size % 10);
    return out;
  }
  if (exponent < 0) {
    out = std::copy_n("0.", 2, out);
    out = std::fill_n(out, -exponent - 1, '0');
    return std::copy(text, text + count, out);
  }
  const int whole = std::min(count, exponent + 1);
  out = std::copy(text, text + whole, out);
  out = std::fill_n(out, exponent + 1 - whole, '0');
  *out++ = '.';
  if (whole == count) *out++ = '0';
  return std::copy(text + whole, text + count, out);
}

// Computes the digits by one multiplication with a power of ten, in doubles. A float has 24 bits and the power is
// exact, so the product's relative error is below 2^-53, or 1.2e-7 if the number has nine digits before the point.
// Cases closer than kDoubt to a decision are left to the rule: returns nullptr.
char* PrintByProduct(char* out, float value) {
  constexpr double kDoubt = 1e-6;
  const double size = std::abs(static_cast<double>(value));
  if (!(size > 1e-13 && size < 1e29)) return nullptr;
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  // Below a power of two the neighbours are closer.
  if ((bits & 0x7FFFFF) == 0) return nullptr;
  const int binary = static_cast<int>(bits >> 23 & 0xFF) - 127;
  int exponent = (binary * 1233) >> 12;  // log10(2) is 1233 / 4096; right, or one too small
  const auto scale = [](double number, int power) {
    return power >= 0 ? number * kPowers[static_cast<size_t>(power)] : number / kPowers[static_cast<size_t>(-power)];
  };
  double scaled = scale(size, kFloatDigits - 1 - exponent);
  if (scaled >= 1e9) scaled = scale(size, kFloatDigits - 1 - ++exponent);
  if (scaled < 1e8 || scaled >= 1e9 - 1) return nullptr;

  const double few = scaled / 1000;
  const double few_whole = std::floor(few + 0.5);
  const double off = std::abs(few_whole * 1000 - scaled);
  const double half_gap = scale(std::ldexp(1.0, binary - 24), kFloatDigits - 1 - exponent);
  const auto doubtful = [](double number) { return std::abs(number - std::floor(number) - 0.5) < kDoubt; };
  if (doubtful(few) || few_whole >= 1e6 || std::abs(off - half_gap) < kDoubt) return nullptr;
  if (std::signbit(value)) *out++ = '-';
  if (off < half_gap) return PrintDigits(out, static_cast<uint32_t>(few_whole), kFewDigits, exponent);
  if (doubtful(scaled)) return nullptr;
  return PrintDigits(out, static_cast<uint32_t>(scaled + 0.5), kFloatDigits, exponent);
}

}  // namespace

char* PrintShortDecimal(char* out, float value) {
  if (char* const end = PrintWhole(out, value); end != nullptr) return end;
  if (char* const end = PrintByProduct(out, value); end != nullptr) return end;
  return PrintByRule(out, value);
}

char* PrintShortDecimal(char* out, double value) {
  if (char* const end = PrintWhole(out, value); end != nullptr) return end;
  return PrintByRule(out, value);
}

}  // namespace inferd::tensorjson
