#include "data/gjson/path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace inferd::gjson {
namespace {

using testing::HasSubstr;

constexpr std::string_view kDocument = R"({
  "name": {"first": "Tom", "last": "Anderson"}, "age": 37, "children": ["Sara", "Alex", "Jack"], "none": null,
  "fav.movie": "Deer Hunter", "empty": [], "a|b": 1, "0": "zero",
  "friends": [{"first": "Dale", "last": "Murphy", "age": 44, "nets": ["ig", "fb", "tw"], "good": true},
              {"first": "Roger", "last": "Craig", "age": 68, "nets": ["fb", "tw"], "good": false},
              {"first": "Jane", "last": "Murphy", "age": 47, "nets": ["ig", "tw"], "nick": "J"}]})";

struct Case {
  std::string_view path;
  bool exists;
};

class PathExistsTest : public testing::TestWithParam<Case> {};

TEST_P(PathExistsTest, AsGjsonHasIt) {
  const auto path = Path::Parse(GetParam().path);
  ASSERT_TRUE(path.has_value()) << path.error().message();
  const auto exists = path->ExistsIn(kDocument);
  ASSERT_TRUE(exists.has_value()) << exists.error().message();
  EXPECT_EQ(*exists, GetParam().exists) << GetParam().path;
}

INSTANTIATE_TEST_SUITE_P(Paths, PathExistsTest,
                         testing::Values(Case{"name", true}, Case{"name.last", true}, Case{"name.middle", false},
                                         Case{"age", true}, Case{"age.x", false}, Case{"none", true},
                                         Case{"nothing", false}, Case{"children.1", true}, Case{"children.3", false},
                                         Case{"children.x", false}, Case{"child*.2", true}, Case{"c?ildren.0", true},
                                         Case{"x*", false}, Case{"fav\\.movie", true}, Case{"fav.movie", false},
                                         Case{"a\\|b", true}, Case{"0", true}, Case{"children.#", true},
                                         Case{"empty.#", true}, Case{"name.#", false}, Case{"friends.#.nick", true},
                                         Case{"friends.#.absent", true}, Case{"age.#.x", false},
                                         Case{"friends.#.age|2", true}, Case{"friends.#.nick|0", true},
                                         Case{"friends.#.nick|1", false}, Case{"friends.#|0", false},
                                         Case{"@this", true}, Case{"@this.age", true}, Case{"[@this].0.age", true},
                                         Case{"[@this].#", true}, Case{"[@this].1", false}, Case{"name|last", true}));

INSTANTIATE_TEST_SUITE_P(
    Queries, PathExistsTest,
    testing::Values(Case{R"x(friends.#(last=="Murphy").first)x", true},
                    Case{R"x(friends.#(last=="Craig").nick)x", false}, Case{R"x(friends.#(last==Murphy).first)x", true},
                    Case{R"x(friends.#(last="Nobody"))x", false}, Case{"friends.#(age>67)", true},
                    Case{"friends.#(age>68)", false}, Case{"friends.#(age>=68)", true},
                    Case{"friends.#(age<44)", false}, Case{"friends.#(age<=44)", true},
                    Case{"friends.#(age!=44)", true}, Case{"friends.#(nick)", true}, Case{"friends.#(nack)", false},
                    Case{"friends.#(good==true)", true}, Case{"friends.#(good==false).nick", false},
                    Case{"friends.#(good!=true)", true}, Case{"friends.#(good>false)", true},
                    Case{"friends.#(good<true)", true}, Case{R"x(friends.#(first%"D*"))x", true},
                    Case{R"x(friends.#(first%"X*"))x", false}, Case{R"x(friends.#(first!%"D*").last)x", true},
                    Case{R"x(friends.#(nets.#(=="fb")))x", true}, Case{R"x(friends.#(nets.#(=="xx")))x", false},
                    Case{R"x(friends.#(nets.#(=="fb"))#.first)x", true}, Case{R"x(friends.#(nets.#(=="xx"))#)x", true},
                    Case{R"x(friends.#(last=="Murphy")#|1)x", true}, Case{R"x(friends.#(last=="Murphy")#|2)x", false},
                    Case{R"x(friends.#(last=="Murphy")#.age|0)x", true}, Case{R"x(children.#(=="Alex"))x", true},
                    Case{R"x(children.#(!="Alex"))x", true}, Case{R"x(children.#(>"Sara"))x", false},
                    Case{R"x(children.#(x=="y"))x", false}, Case{R"x([@this].#(age==37))x", true},
                    Case{R"x([@this].#(age=="37"))x", true}, Case{R"x([@this].#(age==38))x", false},
                    Case{R"x([@this].#(name.first=="Tom"))x", true},
                    Case{R"x([@this].#(children.0=="Sara").age)x", true}, Case{R"x([@this].#(none=="null"))x", false},
                    Case{R"x(age.#(x))x", false}, Case{R"x(friends.#( age > 67 ))x", true},
                    Case{R"x(friends.#(first==")"))x", false}, Case{R"x(friends.#(age>x))x", true}));

TEST(PathTest, WhatIsNoPathIsRefused) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "expected a name at character 1"},
      {"a.", "expected a name at character 3"},
      {"a..b", "expected a name"},
      {"a.#(b", "a '(' that is not closed"},
      {"a.#(b])", "a '(' that is not closed"},
      {"a.#x", "expected '(', '.' or '|' behind '#'"},
      {"a.#(b)x", "expected '.' or '|' at character 7"},
      {"a.#(b~1)", ""},
      {"a.#(b==~true)", "comparisons with '~' are not known here"},
      {"a.#(b!1)", "'!' that is no comparison"},
      {"@reverse", "modifiers other than @this are not known here"},
      {"a|@keys", "modifiers other than @this are not known here"},
      {"[a,b]", "multipaths other than [@this] are not known here"},
      {"{a}", "multipaths"},
      {"!true", "literals are not known here"},
      {"..#", "JSON lines are not known here"},
      {"a\\", "nothing behind '\\'"},
      {std::string(5000, 'a'), "more than 4096 bytes"},
  };
  for (const auto& [text, error] : cases) {
    const auto path = Path::Parse(text);
    if (error.empty()) {
      EXPECT_TRUE(path.has_value()) << text;
      continue;
    }
    ASSERT_FALSE(path.has_value()) << text;
    EXPECT_THAT(std::string(path.error().message()), HasSubstr(error)) << text;
  }
  std::string many = "a";
  for (int i = 0; i < 64; ++i) many += ".a";
  EXPECT_FALSE(Path::Parse(many).has_value());
  std::string deep = "a";
  for (int i = 0; i < 9; ++i) deep = "#(" + deep + ")";
  EXPECT_FALSE(Path::Parse(deep).has_value());
}

TEST(PathTest, WhatIsNoJsonIsAnError) {
  const auto path = Path::Parse("a");
  ASSERT_TRUE(path.has_value());
  for (const std::string& text : {std::string(), std::string("{"), std::string("{} x"),
                                  std::string("{\"a\": 1, \"a\": 2}"), std::string(100, '[') + std::string(100, ']')}) {
    EXPECT_FALSE(path->ExistsIn(text).has_value()) << text;
  }
  EXPECT_EQ(path->ExistsIn("{\"b\": {\"a\": 1}}"), false);
  EXPECT_EQ(path->ExistsIn("7"), false);
}

}  // namespace
}  // namespace inferd::gjson
