#include "base/text/utf8.h"

#include <gtest/gtest.h>

namespace inferd::base {
namespace {

TEST(Utf8Test, ChecksUtf8) {
  for (const char* text : {"\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF",
                           "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "", "abcdefgh\xC3\xA9"}) {
    EXPECT_TRUE(IsUtf8(text)) << text;
  }
  for (const char* text :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x41", "\xE0\x9F\xBF", "\xE2\x82", "\xED\xA0\x80",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "abcdefgh\xC3", "\xF0\x9F\x98"}) {
    EXPECT_FALSE(IsUtf8(text)) << text;
  }
}

TEST(Utf8Test, ChecksEachByteOfTextsOfAllLengths) {
  for (size_t size = 0; size <= 24; ++size) {
    EXPECT_TRUE(IsUtf8(std::string(size, 'a'))) << size;
    for (size_t at = 0; at < size; ++at) {
      std::string text(size, 'a');
      text[at] = '\x80';
      EXPECT_FALSE(IsUtf8(text)) << at << " of " << size;
      text[at] = '\xc3';
      EXPECT_FALSE(IsUtf8(text)) << at << " of " << size;
      if (at + 1 == size) continue;
      text[at + 1] = '\xa4';
      EXPECT_TRUE(IsUtf8(text)) << at << " of " << size;
    }
  }
}

TEST(Utf8Test, WhatIsMalformedIsReplaced) {
  EXPECT_EQ(ReplaceMalformedUtf8("caf\xc3\xa9"), "caf\xc3\xa9");
  EXPECT_EQ(ReplaceMalformedUtf8("a\xff\xc3"), "a\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(ReplaceMalformedUtf8(""), "");
}

TEST(Utf8Test, NoCharacterIsCut) {
  EXPECT_EQ(Shortened("caf\xc3\xa9", 5), "caf\xc3\xa9");
  EXPECT_EQ(Shortened("caf\xc3\xa9", 4), "caf...");
  EXPECT_EQ(Shortened("caf\xc3\xa9", 3), "caf...");
  EXPECT_EQ(Shortened("\xf0\x9f\x98\x80", 3), "...");
  EXPECT_EQ(Shortened("abc", 0), "...");
}

}  // namespace
}  // namespace inferd::base
