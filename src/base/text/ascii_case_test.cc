#include "base/text/ascii_case.h"

#include <gtest/gtest.h>

namespace inferd::base {
namespace {

TEST(AsciiCaseTest, OnlyLettersHaveTwoCases) {
  for (int value = 0; value < 256; ++value) {
    const char c = static_cast<char>(value);
    EXPECT_EQ(LowerAscii(c), value >= 'A' && value <= 'Z' ? static_cast<char>(value + 32) : c) << value;
  }
}

TEST(AsciiCaseTest, ComparesTheWholeText) {
  EXPECT_TRUE(EqualWithoutCase("Content-Type", "content-TYPE"));
  EXPECT_TRUE(EqualWithoutCase("", ""));
  EXPECT_FALSE(EqualWithoutCase("Content", "Content-Type"));
  EXPECT_FALSE(EqualWithoutCase("a[", "A{"));
  EXPECT_FALSE(EqualWithoutCase("\xc3\x84", "\xc3\xa4"));  // A umlaut, in upper and lower case
  EXPECT_FALSE(EqualWithoutCase(std::string_view("a\0b", 3), std::string_view("a\0c", 3)));
}

}  // namespace
}  // namespace inferd::base
