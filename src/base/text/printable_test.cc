#include "base/text/printable.h"

#include <gtest/gtest.h>

namespace inferd::base {
namespace {

TEST(PrintableTest, TextsOfAllLanguagesStayAsTheyAre) {
  for (const char* text : {"", "model_1", "mod\xC3\xA8le", "\xE6\xA8\xA1\xE5\x9E\x8B", "\xF0\x9F\x90\x99 's"}) {
    EXPECT_TRUE(IsPrintable(text)) << text;
    EXPECT_EQ(Printable(text, 100), text);
  }
}

TEST(PrintableTest, ControlCharactersAndWhatIsNotUtf8AreEscaped) {
  EXPECT_EQ(Printable("a\nb\rc\td\x1b[31m\x7f", 100), "a\\nb\\rc\\td\\x1b[31m\\x7f");
  EXPECT_EQ(Printable(std::string_view("\0", 1), 100), "\\x00");
  EXPECT_EQ(Printable("caf\xE9", 100), "caf\\xe9");
  EXPECT_EQ(Printable("\xC2\x85 next line", 100), "\\xc2\\x85 next line");
  EXPECT_EQ(Printable("\xED\xA0\x80", 100), "\\xed\\xa0\\x80") << "a surrogate";
  for (const char* text : {"a\nb", "\x7f", "caf\xE9", "\xC2\x9b", "\xF0\x9F"}) EXPECT_FALSE(IsPrintable(text)) << text;
}

TEST(PrintableTest, LongTextsAreCutBetweenCharacters) {
  EXPECT_EQ(Printable("abcdef", 6), "abcdef");
  EXPECT_EQ(Printable("abcdefg", 6), "abcdef... (7 bytes)");
  EXPECT_EQ(Printable("ab\xC3\xA8", 3), "ab... (4 bytes)");
  EXPECT_EQ(QuotedName(std::string(3'000'000, 'x')), "'" + std::string(256, 'x') + "... (3000000 bytes)'");
}

}  // namespace
}  // namespace inferd::base
