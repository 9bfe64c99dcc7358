#include "base/name_pattern.h"

#include <gtest/gtest.h>

#include <string>

namespace inferd::base {
namespace {

bool Matches(std::string_view pattern, std::string_view name) {
  const auto created = NamePattern::Create(pattern);
  EXPECT_TRUE(created.has_value()) << created.error().ToString();
  return created.has_value() && created->Matches(name);
}

TEST(NamePatternTest, MatchesAnywhereWithoutRegardToCase) {
  EXPECT_TRUE(Matches("my_header.*", "MY_Header_1"));
  EXPECT_TRUE(Matches("(nvcf-.*|x-[a-z]+)", "X-Key"));
  EXPECT_TRUE(Matches("key", "x-key-2"));
  EXPECT_FALSE(Matches("^key$", "x-key"));
  EXPECT_TRUE(Matches("^x-key$", "x-key"));
  EXPECT_FALSE(Matches("my_header.*", "header"));
}

TEST(NamePatternTest, AFlagInFrontMindsTheCase) {
  EXPECT_FALSE(Matches("(?-i)MY_HEADER.*", "my_header"));
  EXPECT_TRUE(Matches("(?-i)MY_HEADER.*", "MY_HEADER_1"));
  EXPECT_TRUE(Matches("(?i)MY_HEADER.*", "my_header"));
}

TEST(NamePatternTest, MistakesAreErrors) {
  for (const std::string_view pattern : {"(", "[a", "*", "a{2", "(?P<n>a)", "(a)\\1"}) {
    const auto created = NamePattern::Create(pattern);
    ASSERT_FALSE(created.has_value()) << pattern;
    EXPECT_EQ(created.error().code(), StatusCode::kInvalidArgument);
    EXPECT_NE(created.error().message().find("'" + std::string(pattern) + "'"), std::string::npos);
  }
  EXPECT_FALSE(NamePattern::Create(std::string(NamePattern::kPatternBytesMax + 1, 'a')).has_value());
}

// A backtracking matcher would not end.
TEST(NamePatternTest, NoNameMakesItSlow) {
  EXPECT_FALSE(Matches("^(a*)*b$", std::string(NamePattern::kNameBytesMax, 'a')));
  EXPECT_FALSE(Matches("^(a|a)*c", std::string(NamePattern::kNameBytesMax, 'a')));
  EXPECT_FALSE(Matches("a", std::string(NamePattern::kNameBytesMax + 1, 'a')));
}

}  // namespace
}  // namespace inferd::base
