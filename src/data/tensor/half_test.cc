#include "data/tensor/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace inferd::tensor {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// IEEE 754's definition in arithmetic.
double ValueOf(uint32_t bits, int mantissa_bits, int bias) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const auto exponent = static_cast<int>((bits & 0x7FFF) >> mantissa_bits);
  const double fraction = std::ldexp(bits & ((1u << mantissa_bits) - 1), -mantissa_bits);
  if (exponent == 2 * bias + 1) return fraction == 0 ? sign * kInf : std::nan("");
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias);
  return sign * std::ldexp(1 + fraction, exponent - bias);
}

struct Format {
  int mantissa_bits;
  int bias;
  float (*widen)(uint16_t);
  uint16_t (*narrow)(double);
  uint16_t (*narrow_remainder)(double, Remainder);
  bool (*is_tie)(double);
};

const Format kFormats[] = {{10, 15, HalfToFloat, DoubleToHalf, DoubleToHalf, IsHalfTie},
                           {7, 127, Bf16ToFloat, DoubleToBf16, DoubleToBf16, IsBf16Tie}};

TEST(HalfTest, WidensEveryValueExactly) {
  for (const Format& format : kFormats) {
    for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
      const double expected = ValueOf(bits, format.mantissa_bits, format.bias);
      const float actual = format.widen(static_cast<uint16_t>(bits));
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(actual)) << bits;
      } else {
        ASSERT_EQ(actual, expected) << bits;
        ASSERT_EQ(std::signbit(actual), std::signbit(expected)) << bits;
      }
    }
  }
}

TEST(HalfTest, NarrowsEveryValueBack) {
  for (const Format& format : kFormats) {
    const uint32_t quiet = 1u << (format.mantissa_bits - 1);
    for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
      const float value = format.widen(static_cast<uint16_t>(bits));
      const uint32_t expected = std::isnan(value) ? bits | quiet : bits;
      ASSERT_EQ(format.narrow(value), expected) << bits;
      ASSERT_FALSE(format.is_tie(value)) << bits;
    }
  }
}

// The midpoint of two neighbours must go to the even one, and its neighbouring doubles to the nearer one.
TEST(HalfTest, RoundsEveryMidpointToEven) {
  for (const Format& format : kFormats) {
    const uint32_t infinity = (2u * static_cast<uint32_t>(format.bias) + 1) << format.mantissa_bits;
    for (uint32_t low = 0; low < infinity; ++low) {
      const uint32_t high = low + 1;
      const double below = ValueOf(low, format.mantissa_bits, format.bias);
      const double unit = low == 0 ? ValueOf(1, format.mantissa_bits, format.bias)
                                   : below - ValueOf(low - 1, format.mantissa_bits, format.bias);
      // The step upward equals the step downward, except at a power of two, where it is twice as large (subnormals
      // apart).
      const double above = high == infinity ? below + unit : ValueOf(high, format.mantissa_bits, format.bias);
      const double middle = (below + above) / 2;
      const uint32_t even = low % 2 == 0 ? low : high;
      for (const uint32_t sign : {0u, 0x8000u}) {
        const double s = sign == 0 ? 1 : -1;
        ASSERT_TRUE(format.is_tie(s * middle)) << low;
        ASSERT_EQ(format.narrow(s * middle), sign | even) << low;
        ASSERT_EQ(format.narrow(s * std::nextafter(middle, 0)), sign | low) << low;
        ASSERT_EQ(format.narrow(s * std::nextafter(middle, kInf)), sign | high) << low;
        ASSERT_EQ(format.narrow_remainder(s * middle, Remainder::kBelow), sign | low) << low;
        ASSERT_EQ(format.narrow_remainder(s * middle, Remainder::kAbove), sign | high) << low;
      }
    }
  }
}

TEST(HalfTest, HandlesTheExtremes) {
  for (const Format& format : kFormats) {
    const uint32_t infinity = (2u * static_cast<uint32_t>(format.bias) + 1) << format.mantissa_bits;
    EXPECT_EQ(format.narrow(kInf), infinity);
    EXPECT_EQ(format.narrow(-kInf), infinity | 0x8000);
    EXPECT_EQ(format.narrow(std::numeric_limits<double>::max()), infinity);
    EXPECT_EQ(format.narrow(std::numeric_limits<double>::denorm_min()), 0);
    EXPECT_EQ(format.narrow(-std::numeric_limits<double>::min()), 0x8000);
    EXPECT_TRUE(std::isnan(format.widen(format.narrow(std::numeric_limits<double>::signaling_NaN()))));
    EXPECT_FALSE(format.is_tie(kInf));
    EXPECT_FALSE(format.is_tie(0));
  }
  EXPECT_EQ(FloatToHalf(65519.996f), 0x7BFF);
  EXPECT_EQ(FloatToHalf(65520.0f), 0x7C00);
  EXPECT_EQ(FloatToBf16(1.0f), 0x3F80);
}

}  // namespace
}  // namespace inferd::tensor
