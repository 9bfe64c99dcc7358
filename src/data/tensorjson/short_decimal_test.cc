#include "data/tensorjson/short_decimal.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

namespace inferd::tensorjson {
namespace short_decimal_test {

template <typename T>
std::string Print(T value) {
  char text[kShortDecimalMax];
  return std::string(text, PrintShortDecimal(text, value));
}

template <typename T>
T Read(const char* text) {
  if constexpr (std::is_same_v<T, float>) return std::strtof(text, nullptr);
  return std::strtod(text, nullptr);
}

// The rule, computed by the C library.
template <typename T>
std::string Expected(T value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.6g", static_cast<double>(value));
  if (Read<T>(text) != value) {
    std::snprintf(text, sizeof text, "%.*g", std::numeric_limits<T>::max_digits10, static_cast<double>(value));
  }
  std::string result = text;
  return result.find_first_of(".e") == std::string::npos ? result + ".0" : result;
}

TEST(ShortDecimalTest, WritesWhatTensorflowServingWrites) {
  EXPECT_EQ(Print(0.0f), "0.0");
  EXPECT_EQ(Print(-0.0f), "-0.0");
  EXPECT_EQ(Print(2.5f), "2.5");
  EXPECT_EQ(Print(0.2f), "0.2");
  EXPECT_EQ(Print(3.0), "3.0");
  EXPECT_EQ(Print(-123456.0f), "-123456.0");
  EXPECT_EQ(Print(9000000.0f), "9e+06");
  EXPECT_EQ(Print(1000000.0f), "1e+06");
  EXPECT_EQ(Print(1234567.0f), "1234567.0");
  EXPECT_EQ(Print(0.00003f), "3e-05");
  EXPECT_EQ(Print(1435774380.0f), "1.43577434e+09");
  EXPECT_EQ(Print(1.0f / 3), "0.333333343");
  EXPECT_EQ(Print(0.1), "0.1");
  EXPECT_EQ(Print(1.0 / 3), "0.33333333333333331");
}

TEST(ShortDecimalTest, TheLongestFit) {
  for (const float value :
       {std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min(), -1.17549449e-38f}) {
    EXPECT_EQ(Print(value), Expected(value));
  }
  for (const double value : {std::numeric_limits<double>::lowest(), -std::numeric_limits<double>::denorm_min(),
                             -2.2250738585072014e-308, -1.2345678901234567e-300}) {
    EXPECT_EQ(Print(value), Expected(value));
  }
}

TEST(ShortDecimalTest, FollowsTheRuleForAnyNumber) {
  std::mt19937_64 random(20261121);
  for (int i = 0; i < 100'000; ++i) {
    const auto single = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (std::isfinite(single)) {
      ASSERT_EQ(Print(single), Expected(single));
    }
    const auto wide = std::bit_cast<double>(random());
    if (std::isfinite(wide)) {
      ASSERT_EQ(Print(wide), Expected(wide));
    }
    // Typical outputs of models: small numbers, and numbers with few digits.
    const float small = std::uniform_real_distribution<float>(-10, 10)(random);
    ASSERT_EQ(Print(small), Expected(small));
    const float few = static_cast<float>(static_cast<int64_t>(random() % 4'000'000) - 2'000'000) / 1000;
    ASSERT_EQ(Print(few), Expected(few));
    const double half = static_cast<double>(random() % 100'000'000) / 64;
    ASSERT_EQ(Print(half), Expected(half));
  }
}

}  // namespace short_decimal_test
}  // namespace inferd::tensorjson
