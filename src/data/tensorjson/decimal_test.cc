#include "data/tensorjson/decimal.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include "data/tensor/half.h"

namespace inferd::tensorjson {
namespace {

// Scans `text` followed by a byte that belongs to no number. Fails the test unless all of it is taken.
Decimal Scan(const std::string& text) {
  const std::string padded = text + ",";
  Decimal decimal;
  const char* const end = ScanDecimal(padded.data(), padded.data() + padded.size(), decimal);
  EXPECT_EQ(end, padded.data() + text.size()) << text;
  return decimal;
}

float Float(const std::string& text) { return ToFloat(Scan(text), text); }
double Double(const std::string& text) { return ToDouble(Scan(text), text); }
uint16_t Half(const std::string& text) { return ToHalf(Scan(text), text); }
uint16_t Bf16(const std::string& text) { return ToBf16(Scan(text), text); }

// glibc's strtof and strtod round correctly.
void ExpectAsLibc(const std::string& text) {
  EXPECT_EQ(std::bit_cast<uint32_t>(Float(text)), std::bit_cast<uint32_t>(std::strtof(text.c_str(), nullptr))) << text;
  EXPECT_EQ(std::bit_cast<uint64_t>(Double(text)), std::bit_cast<uint64_t>(std::strtod(text.c_str(), nullptr))) << text;
}

TEST(DecimalTest, RefusesWhatIsNoJsonNumber) {
  for (const std::string text :
       {"", "-", "+1", ".5", "1.", "01", "-01", "1e", "1e+", "1.e5", "e5", "NaN", "--1", "-.5"}) {
    const std::string padded = text + ",";
    Decimal decimal;
    EXPECT_EQ(ScanDecimal(padded.data(), padded.data() + padded.size(), decimal), nullptr) << text;
  }
}

TEST(DecimalTest, AgreesWithLibcOnHardCases) {
  for (const char* text : {"0",
                           "-0",
                           "0.0",
                           "-0.0e5",
                           "1",
                           "-1",
                           "1.0",
                           "16777216",
                           "16777217",
                           "16777218",
                           "16777219",
                           "9007199254740993",
                           "0.1",
                           "0.3",
                           "3.4028234663852886e38",
                           "3.4028235677973366e38",
                           "3.4028235677973365e38",
                           "1.7976931348623157e308",
                           "1.7976931348623158e308",
                           "1.7976931348623159e308",
                           "1e309",
                           "-1e400",
                           "5e-324",
                           "2e-324",
                           "2.4703282292062327e-324",
                           "2.4703282292062328e-324",
                           "1e-400",
                           "1.401298464324817e-45",
                           "7.006492321624085e-46",
                           "7.006492321624086e-46",
                           "1.1754943508222875e-38",
                           "1.1754942e-38",
                           "2.2250738585072011e-308",
                           "2.2250738585072014e-308",
                           "1.00000005960464477539062",
                           "1.00000005960464477539063",
                           "1.000000059604644775390625",
                           "1.00000017881393432617187500000000000000000000001",
                           "1.000000178813934326171875",
                           "9223372036854775807",
                           "9223372036854775808",
                           "18446744073709551615",
                           "18446744073709551616",
                           "99999999999999999999",
                           "9999999999999999999",
                           "0.000000000000000000000000000000000000000000001",
                           "0.00000000000000000000000012345678901234567890123456789",
                           "12345678901234567890123456789012345678901234567890",
                           "1e22",
                           "1e23",
                           "123456789e22",
                           "8.5e10",
                           "7e-10",
                           "7e-11",
                           "1e99999999999999999999",
                           "1e-99999999999999999999",
                           "0e99999999999999999999",
                           "0.0000001e7",
                           "100000e-5",
                           "6.631236871469758276785396630275967e-4"}) {
    ExpectAsLibc(text);
  }
}

TEST(DecimalTest, AgreesWithLibcOnRandomNumbers) {
  std::mt19937_64 random(20260814);
  for (int i = 0; i < 20'000; ++i) {
    char text[64];
    const auto narrow = std::bit_cast<float>(static_cast<uint32_t>(random()));
    const auto wide = std::bit_cast<double>(random());
    if (!std::isfinite(narrow) || !std::isfinite(wide)) continue;
    std::snprintf(text, sizeof text, "%.*e", static_cast<int>(random() % 22), static_cast<double>(narrow));
    ExpectAsLibc(text);
    std::snprintf(text, sizeof text, "%.*e", static_cast<int>(random() % 22), wide);
    ExpectAsLibc(text);
    std::snprintf(text, sizeof text, "%.*f", static_cast<int>(random() % 25), static_cast<double>(narrow) / 1e30);
    if (std::strlen(text) < 60) ExpectAsLibc(text);
  }
}

// Returns the exact decimal of a double.
std::string Exactly(double value) {
  char text[2000];
  std::snprintf(text, sizeof text, "%.400f", value);
  return text;
}

// The midpoint above each value of a 16-bit format must go to the even neighbour. With any later digit more or less, it
// must go to the nearer one, although the nearest double is still the midpoint.
template <typename Parse, typename Widen>
void ExpectOneRounding(Parse parse, Widen widen, uint32_t infinity, uint32_t step) {
  for (uint32_t low = 0; low + 1 < infinity; low += step) {
    const double middle =
        (static_cast<double>(widen(static_cast<uint16_t>(low))) + widen(static_cast<uint16_t>(low + 1))) / 2;
    const std::string text = Exactly(middle);
    const uint32_t even = low % 2 == 0 ? low : low + 1;
    ASSERT_EQ(parse(text), even) << text;
    ASSERT_EQ(parse("-" + text), even | 0x8000) << text;
    ASSERT_EQ(parse(text + "00000001"), low + 1) << text;
    std::string less = text;
    less.erase(less.find_last_not_of('0') + 1);
    if (less.back() == '.') {
      less = std::to_string(static_cast<int64_t>(middle) - 1) + ".99999999999999999999999999";
    } else {
      --less.back();
      less += "99999999999999999999999999";
    }
    ASSERT_EQ(parse(less), low) << less;
  }
}

TEST(DecimalTest, RoundsToHalfOnce) { ExpectOneRounding(Half, tensor::HalfToFloat, 0x7C00, 7); }

TEST(DecimalTest, RoundsToBf16Once) {
  // The values that print in fewer than 400 decimals and fit int64_t.
  ExpectOneRounding(Bf16, tensor::Bf16ToFloat, 0x5E00, 7);
}

TEST(DecimalTest, ComparesTiesWrittenInAnyForm) {
  EXPECT_EQ(Half("2049"), Half("2048"));
  EXPECT_EQ(Half("2049.0"), Half("2048"));
  EXPECT_EQ(Half("2049.00000000000000000000000000000000001"), Half("2050"));
  EXPECT_EQ(Half("2048.99999999999999999999999999999999999"), Half("2048"));
  EXPECT_EQ(Half("0.002049e6"), Half("2048"));
  EXPECT_EQ(Half("204900000000000000000000e-20"), Half("2048"));
  EXPECT_EQ(Half("204900000000000000000000.1E-20"), Half("2050"));
  EXPECT_EQ(Half("-2.051e+3"), Half("-2052"));
  EXPECT_EQ(Half("65519.99999999999999999999"), 0x7BFF);
  EXPECT_EQ(Half("65520"), 0x7C00);
  EXPECT_EQ(Half("2.98023223876953125e-8"), 0x0000);
  EXPECT_EQ(Half("2.98023223876953125000000000000000000000001e-8"), 0x0001);
  EXPECT_EQ(Bf16("257"), Bf16("256"));
  EXPECT_EQ(Bf16("257.00000000000000000000000000000001"), Bf16("258"));
}

}  // namespace
}  // namespace inferd::tensorjson
