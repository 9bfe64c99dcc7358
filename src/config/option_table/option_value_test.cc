#include "config/option_table/option_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::config {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

TEST(OptionValueTest, Booleans) {
  for (const char* yes : {"true", "on", "yes", "1", "TRUE", "tRue", "On"}) EXPECT_TRUE(ParseBool(yes).value()) << yes;
  for (const char* no : {"false", "off", "no", "0", "False"}) EXPECT_FALSE(ParseBool(no).value()) << no;
  for (const char* bad : {"", "2", "true "}) EXPECT_FALSE(ParseBool(bad).has_value()) << bad;
}

TEST(OptionValueTest, IntegersStayInRange) {
  EXPECT_EQ(ParseInteger("0", 0, 9).value(), 0);
  EXPECT_EQ(ParseInteger("9", 0, 9).value(), 9);
  for (const char* bad : {"", "10", "-1", "1.0", "1x", " 1", "99999999999999999999"}) {
    EXPECT_FALSE(ParseInteger(bad, 0, 9).has_value()) << bad;
  }
  EXPECT_THAT(ParseInteger("10", 0, 9).error().message(), HasSubstr("from 0 to 9, got '10'"));
}

TEST(OptionValueTest, BytesHaveUnits) {
  EXPECT_EQ(ParseBytes("17").value(), 17u);
  EXPECT_EQ(ParseBytes("2KiB").value(), 2048u);
  EXPECT_EQ(ParseBytes("2 KB").value(), 2000u);
  EXPECT_EQ(ParseBytes("3G").value(), uint64_t{3} << 30);
  for (const char* bad : {"", "KiB", "-1", "1.5GiB", "1kib", "9007199254740993GiB", "18446744073709551616"}) {
    EXPECT_FALSE(ParseBytes(bad).has_value()) << bad;
  }
  EXPECT_EQ(PrintBytes(uint64_t{1} << 30), "1GiB");
  EXPECT_EQ(PrintBytes(1536), "1536");
  EXPECT_EQ(PrintBytes(0), "0");
}

TEST(OptionValueTest, TimesHaveUnits) {
  EXPECT_EQ(ParseDuration("2").value(), milliseconds(2000));
  EXPECT_EQ(ParseDuration("250ms").value(), milliseconds(250));
  EXPECT_EQ(ParseDuration("1m").value(), milliseconds(60'000));
  for (const char* bad : {"", "s", "-1s", "1d", "99999h"}) EXPECT_FALSE(ParseDuration(bad).has_value()) << bad;
  EXPECT_EQ(PrintDuration(milliseconds(90'000)), "90s");
  EXPECT_EQ(PrintDuration(milliseconds(1500)), "1500ms");
  EXPECT_EQ(PrintDuration(milliseconds(0)), "0s");
}

TEST(OptionValueTest, WhatIsPrintedReadsBack) {
  for (const uint64_t bytes : {uint64_t{1}, uint64_t{1000}, uint64_t{1} << 20, uint64_t{5} << 31}) {
    EXPECT_EQ(ParseBytes(PrintBytes(bytes)).value(), bytes);
  }
  for (const int ms : {1, 999, 1000, 75'000})
    EXPECT_EQ(ParseDuration(PrintDuration(milliseconds(ms))).value(), milliseconds(ms));
}

}  // namespace
}  // namespace inferd::config
