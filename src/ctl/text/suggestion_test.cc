#include "ctl/text/suggestion.h"

#include <gtest/gtest.h>

#include <vector>

namespace inferd::ctl {
namespace {

TEST(SuggestionTest, CountsTypingErrors) {
  const struct {
    const char* a;
    const char* b;
    size_t errors;
  } kCases[] = {
      {"", "", 0},
      {"digits", "digits", 0},
      {"digts", "digits", 1},
      {"digitts", "digits", 1},
      {"digots", "digits", 1},
      {"idgits", "digits", 1},
      {"digist", "digits", 1},
      {"INPUT0", "input0", 0},
      {"", "abc", 3},
      {"kitten", "sitting", 3},
      {"ca", "abc", 3},
      {"abcd", "badc", 2},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(EditDistance(c.a, c.b, 9), c.errors) << c.a << " " << c.b;
    EXPECT_EQ(EditDistance(c.b, c.a, 9), c.errors) << c.b << " " << c.a;
    for (size_t limit = 0; limit < 4; ++limit) {
      EXPECT_EQ(EditDistance(c.a, c.b, limit), std::min(c.errors, limit + 1)) << c.a << " " << c.b << " " << limit;
    }
  }
}

TEST(SuggestionTest, TheNearestIsSuggested) {
  const std::vector<std::string> names = {"simple", "sample", "digits", "a"};
  EXPECT_EQ(Nearest("simpel", names), "simple");
  EXPECT_EQ(Nearest("smaple", names), "sample");
  EXPECT_EQ(Nearest("SIMPLE", names), "simple");
  EXPECT_EQ(Nearest("s?mple", names), "simple") << "the first of two";
  EXPECT_EQ(Nearest("resnet", names), "");
  EXPECT_EQ(Nearest("b", names), "");
  EXPECT_EQ(Nearest("A", names), "a");
  EXPECT_EQ(Nearest("", names), "");
  EXPECT_EQ(Nearest("simple", {}), "");
  EXPECT_EQ(Suggestion("digts", names), "; did you mean 'digits'?");
  EXPECT_EQ(Suggestion("resnet", names), "");
}

}  // namespace
}  // namespace inferd::ctl
