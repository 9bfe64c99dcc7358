#include "base/text/http_token.h"

#include <gtest/gtest.h>

namespace inferd::base {
namespace {

TEST(HttpTokenTest, VisibleCharactersButDelimitersMakeTokens) {
  constexpr std::string_view kDelimiters = "\"(),/:;<=>?@[\\]{}";
  for (int c = 0; c < 256; ++c) {
    const bool visible = c > ' ' && c < 0x7f;
    EXPECT_EQ(IsTokenCharacter(static_cast<char>(c)), visible && !kDelimiters.contains(static_cast<char>(c))) << c;
  }
}

TEST(HttpTokenTest, TokensHaveOneCharacterAtLeast) {
  EXPECT_TRUE(IsToken("X-Admin_Key.1"));
  EXPECT_FALSE(IsToken(""));
  EXPECT_FALSE(IsToken("a b"));
  EXPECT_FALSE(IsToken(std::string_view("a\0", 2)));
}

}  // namespace
}  // namespace inferd::base
