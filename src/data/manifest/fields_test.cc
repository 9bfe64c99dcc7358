#include "data/manifest/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/manifest/names.h"
#include "data/manifest/quantity.h"
#include "data/manifest/read.h"

namespace inferd::manifest {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> Texts(const Problems& problems) {
  std::vector<std::string> texts;
  for (const Problem& problem : problems) texts.push_back(problem.ToString("f"));
  return texts;
}

TEST(FieldsTest, ReadsWhatIsThereAndNotesWhatHasAnotherType) {
  const auto documents = ReadYaml(
      "a: text\nb: 7\nc: true\nd: null\nlist: [x, 1]\nmap: {k: v, 'a.b/c': 2}\nmaps: [{n: 1}, 2]\nwrong: [1]\nhalf: "
      "1.5\n",
      "f");
  ASSERT_TRUE(documents.has_value());
  Problems problems;
  Fields fields(documents->at(0), "spec", problems);
  std::string text;
  std::optional<int64_t> number;
  std::optional<int64_t> null = 1;
  bool flag = false;
  std::vector<std::string> list;
  StringMap map;
  fields.Read("a", text);
  fields.Read("b", number);
  fields.Read("c", flag);
  fields.Read("d", null);
  EXPECT_EQ(text, "text");
  EXPECT_EQ(number, 7);
  EXPECT_TRUE(flag);
  EXPECT_EQ(null, 1) << "null is as absent";
  EXPECT_THAT(problems, IsEmpty());

  fields.Read("list", list);
  fields.Read("map", map);
  EXPECT_THAT(fields.Maps("maps"), SizeIs(1));
  fields.Read("wrong", text);
  fields.Read("wrong", flag);
  fields.Read("wrong", number);
  fields.Read("half", number);
  EXPECT_FALSE(fields.Map("wrong").has_value());
  EXPECT_EQ(number, 7);
  EXPECT_THAT(list, ElementsAre("x"));
  EXPECT_THAT(Texts(problems), ElementsAre("f:5:11: spec.list[1]: must be a string, not a number",
                                           "f:6:22: spec.map[a.b/c]: must be a string, not a number",
                                           "f:7:16: spec.maps[1]: must be a map, not a number",
                                           "f:8:8: spec.wrong: must be a string, not a list",
                                           "f:8:8: spec.wrong: must be true or false, not a list",
                                           "f:8:8: spec.wrong: must be an integer, not a list",
                                           "f:9:7: spec.half: must be an integer, not 1.5",
                                           "f:8:8: spec.wrong: must be a map, not a list"));
}

struct QuantityCase {
  const char* text;
  int64_t milli;
};
class QuantityTest : public testing::TestWithParam<QuantityCase> {};

TEST_P(QuantityTest, IsInThousandths) {
  const auto quantity = ParseQuantity(GetParam().text);
  ASSERT_TRUE(quantity.has_value());
  EXPECT_EQ(quantity->milli, GetParam().milli);
}

INSTANTIATE_TEST_SUITE_P(Quantities, QuantityTest,
                         testing::Values(QuantityCase{"1", 1000}, QuantityCase{"500m", 500}, QuantityCase{"0.1", 100},
                                         QuantityCase{"1.5Gi", 1'610'612'736'000}, QuantityCase{"2k", 2'000'000},
                                         QuantityCase{"1e3", 1'000'000}, QuantityCase{"1E-3", 1},
                                         QuantityCase{"1e+3", 1'000'000}, QuantityCase{"1E", INT64_MAX},
                                         QuantityCase{"1n", 1}, QuantityCase{"-1", -1000}, QuantityCase{"+.5", 500},
                                         QuantityCase{"9Ei", INT64_MAX}, QuantityCase{"1e999999", INT64_MAX}));

TEST(QuantityTest, RoundsUp) {
  EXPECT_EQ(ParseQuantity("1500m")->value(), 2);
  EXPECT_EQ(ParseQuantity("-1500m")->value(), -1);
}

TEST(QuantityTest, RefusesOtherTexts) {
  for (const char* text : {"", "x", "1x", "1 Gi", "Gi", "1.2.3", ".", "-", "1KI", "e3", "1e", "1e+", "0x1"}) {
    EXPECT_FALSE(ParseQuantity(text).has_value()) << text;
  }
}

TEST(NamesTest, KubernetesNames) {
  for (const char* name : {"a", "a-1", "1a", "a.b"}) EXPECT_THAT(CheckSubdomain(name), IsEmpty()) << name;
  for (const char* name : {"", "A", "-a", "a-", "a..b", "a_b", "."})
    EXPECT_THAT(CheckSubdomain(name), SizeIs(1)) << name;
  EXPECT_THAT(CheckSubdomain(std::string(254, 'a')), ElementsAre("must be no more than 253 characters"));
  EXPECT_THAT(CheckLabel("1a"), IsEmpty());
  EXPECT_THAT(CheckLabel("a.b"), SizeIs(1));
  EXPECT_THAT(CheckLabel(std::string(64, 'a')), ElementsAre("must be no more than 63 characters"));
  EXPECT_THAT(CheckServiceName("a1"), IsEmpty());
  EXPECT_THAT(CheckServiceName("1a"), SizeIs(1));
  for (const char* key : {"a", "A_b.c", "example.com/a"}) EXPECT_THAT(CheckQualifiedName(key), IsEmpty()) << key;
  for (const char* key : {"a b", "/a", "a/b/c", "A.com/a"}) EXPECT_THAT(CheckQualifiedName(key), SizeIs(1)) << key;
  EXPECT_THAT(CheckQualifiedName(""), SizeIs(2));
  EXPECT_THAT(CheckLabelValue(""), IsEmpty());
  EXPECT_THAT(CheckLabelValue("a b"), SizeIs(1));
}

}  // namespace
}  // namespace inferd::manifest
