#include "base/text/nearest_name.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace inferd::base {
namespace {

std::string Suggest(std::string_view name, const std::vector<std::string>& candidates) {
  return SuggestName(name, candidates, "--");
}

TEST(NearestNameTest, CountsTypingErrors) {
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

TEST(NearestNameTest, TakesTheNearest) {
  EXPECT_EQ(Suggest("http-prt", {"grpc-port", "http-port", "http"}), " (did you mean '--http-port'?)");
  EXPECT_EQ(Suggest("datatype", {"dims", "data_type"}), " (did you mean '--data_type'?)");
  EXPECT_EQ(Suggest("repository", {"model-repository"}), " (did you mean '--model-repository'?)");
  const std::vector<std::string> names = {"simple", "sample", "digits", "a"};
  for (const auto& [name, nearest] : {std::pair{"simpel", "simple"},
                                      {"smaple", "sample"},
                                      {"SIMPLE", "simple"},
                                      {"s?mple", "simple"},  // the first of two
                                      {"A", "a"}}) {
    EXPECT_EQ(SuggestName(name, names), " (did you mean '" + std::string(nearest) + "'?)") << name;
  }
}

TEST(NearestNameTest, SuggestsNothingFar) {
  EXPECT_EQ(Suggest("frobnicate", {"http-port", "name"}), "");
  EXPECT_EQ(Suggest("", {"http-port", "a"}), "");
  EXPECT_EQ(Suggest("b", {"a"}), "");
  EXPECT_EQ(Suggest("abcdefghijklmnop", {"ABCDefghijkl"}), "") << "four errors";
  EXPECT_EQ(Suggest("x", {}), "");
  EXPECT_EQ(NearestName("x").Suggestion(), "");
}

}  // namespace
}  // namespace inferd::base
