#include "data/tensorjson/flatten.h"

#include <gtest/gtest.h>

#include <string>

namespace inferd::tensorjson {
namespace {

struct Case {
  std::string text;
  std::string flat;  // empty: refused
};

TEST(FlattenListsTest, KeepsTheElementsInTheirOrder) {
  const Case cases[] = {
      {"[]", "[]"},
      {"[1, 2]", "[1,2]"},
      {"[[1,2],[3,4]]", "[1,2,3,4]"},
      {"[[[1]], 2, [[3], [], 4]]", "[1,2,3,4]"},
      {R"([["a,]", ["\"["]]])", R"(["a,]","\"["])"},
      {R"([[{"b64": "AA=="}], NaN, -Infinity])", R"([{"b64": "AA=="},NaN,-Infinity])"},
      {"[[], []]", "[]"},
      {"[1", ""},
      {"[[1,2],]", ""},
      {"[[1 2]]", ""},
      {"1", ""},
      {std::string(65, '[') + std::string(65, ']'), ""},
  };
  for (const Case& c : cases) {
    const auto flat = FlattenLists(c.text);
    EXPECT_EQ(flat.has_value(), !c.flat.empty()) << c.text;
    EXPECT_EQ(flat.value_or(""), c.flat) << c.text;
  }
}

}  // namespace
}  // namespace inferd::tensorjson
