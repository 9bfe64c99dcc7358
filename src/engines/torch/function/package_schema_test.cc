#include "engines/torch/function/package_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace inferd::torchscript {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kLeaf = R"({"type": null, "context": null, "children_spec": []})";

std::string Spec(const std::string& tree) { return "[1, " + tree + "]"; }

std::string Node(const std::string& type, const std::string& context, const std::vector<std::string>& children) {
  std::string list;
  for (const std::string& child : children) list += (list.empty() ? "" : ", ") + child;
  return R"({"type": ")" + type + R"(", "context": ")" + context + R"(", "children_spec": [)" + list + "]}";
}

std::string Tuple(const std::vector<std::string>& children) { return Node("builtins.tuple", "null", children); }

std::string Dict(const std::string& keys, const std::vector<std::string>& children) {
  return Node("builtins.dict", keys, children);
}

std::vector<std::string> InputsOf(const std::string& tree) {
  const auto schema = ParsePackageSchema(Spec(tree), Spec(Tuple({kLeaf})));
  EXPECT_TRUE(schema.has_value()) << schema.error().ToString();
  std::vector<std::string> names;
  for (const MethodArgument& argument : schema->arguments) names.push_back(argument.name);
  return names;
}

TEST(PackageSchemaTest, ArgumentsAreCalledByTheirKeysOrPositions) {
  EXPECT_THAT(InputsOf(Tuple({Tuple({kLeaf}), Dict("[]", {})})), ElementsAre("INPUT__0"));
  EXPECT_THAT(InputsOf(Tuple({Tuple({kLeaf}), Dict(R"([\"mask\"])", {kLeaf})})), ElementsAre("INPUT__0", "mask"));
  EXPECT_THAT(InputsOf(Tuple({Tuple({Dict(R"([\"a\", \"b\"])", {kLeaf, Tuple({kLeaf, kLeaf})})}), Dict("[]", {})})),
              ElementsAre("a", "INPUT__1", "INPUT__2"));
}

TEST(PackageSchemaTest, AKeyThatStandsTwiceIsNoName) {
  const std::string one = Dict(R"([\"a\"])", {kLeaf});
  EXPECT_THAT(InputsOf(Tuple({one, one})), ElementsAre("INPUT__0", "INPUT__1"));
}

TEST(PackageSchemaTest, ResultsHaveNamesWhereAllAreInDicts) {
  const auto named = ParsePackageSchema(Spec(Tuple({})), Spec(Dict(R"([\"sum\", \"product\"])", {kLeaf, kLeaf})));
  ASSERT_TRUE(named.has_value()) << named.error().ToString();
  EXPECT_THAT(named->result_names, ElementsAre("sum", "product"));
  EXPECT_EQ(named->result_count, 2u);
  const auto listed = ParsePackageSchema(Spec(Tuple({})), Spec(Tuple({kLeaf, Dict(R"([\"a\"])", {kLeaf})})));
  ASSERT_TRUE(listed.has_value());
  EXPECT_THAT(listed->result_names, IsEmpty());
  EXPECT_EQ(listed->result_count, 2u);
}

TEST(PackageSchemaTest, WhatIsNoSpecificationIsRefused) {
  std::string deep = kLeaf;
  for (int i = 0; i < 100; ++i) deep = Tuple({deep});
  for (const std::string& text : {std::string(), std::string("{}"), std::string("[1]"), std::string("[2, {}]"),
                                  std::string("[1, []]"), std::string("[1, {\"children_spec\": 3}]"), Spec(deep)}) {
    const auto schema = ParsePackageSchema(text, Spec(kLeaf));
    ASSERT_FALSE(schema.has_value()) << text;
    EXPECT_THAT(schema.error().message(), HasSubstr("input specification"));
  }
}

}  // namespace
}  // namespace inferd::torchscript
