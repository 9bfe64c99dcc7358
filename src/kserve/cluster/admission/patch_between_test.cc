#include "kserve/cluster/admission/patch_between.h"

#include <gtest/gtest.h>

#include "data/manifest/print.h"
#include "data/manifest/read.h"
#include "kserve/apiserver/patch/json_patch.h"

namespace inferd::cluster {
namespace {

using manifest::Value;

Value FromText(std::string_view yaml) { return std::move(manifest::ReadYaml(yaml, "test")->front()); }

struct Row {
  std::string_view before;
  std::string_view after;
  std::string_view patch;
};

TEST(PatchBetweenTest, SaysTheLeastThatMakesOneOfTheOther) {
  for (
      const Row& row : std::vector<Row>{
          {"{a: 1}", "{a: 1}", "[]"},
          {"{a: 1, b: {c: 2}}", "{b: {c: 3}, d: 4}",
           R"([{"op":"remove","path":"/a"},{"op":"replace","path":"/b/c","value":3},{"op":"add","path":"/d","value":4}])"},
          {"{a: 1, b: 2}", "{b: 2, a: 1}", "[]"},
          {"{a: [1, {b: 2}]}", "{a: [1, {b: 3}]}", R"([{"op":"replace","path":"/a/1/b","value":3}])"},
          {"{a: [1, 2]}", "{a: [1]}", R"([{"op":"replace","path":"/a","value":[1]}])"},
          {"{a: [{b: 1}]}", "{a: [{b: 2}, {c: 3}, 4]}",
           R"([{"op":"replace","path":"/a/0/b","value":2},{"op":"add","path":"/a/-","value":{"c":3}},)"
           R"({"op":"add","path":"/a/-","value":4}])"},
          {"{a: []}", "{a: [[]]}", R"([{"op":"add","path":"/a/-","value":[]}])"},
          {"{a: {b: 1}}", "{a: [b]}", R"([{"op":"replace","path":"/a","value":["b"]}])"},
          {"{a: null}", "{a: {}}", R"([{"op":"replace","path":"/a","value":{}}])"},
          {"{'a/b~c': 1, '': {'': 2}}", "{'': {'': 3}}",
           R"([{"op":"remove","path":"/a~1b~0c"},{"op":"replace","path":"//","value":3}])"},
          {"{a: 1}", "[1]", R"([{"op":"replace","path":"","value":[1]}])"},
      }) {
    const Value before = FromText(row.before);
    const Value after = FromText(row.after);
    const Value patch = PatchBetween(before, after);
    EXPECT_EQ(manifest::ToJson(patch), row.patch);
    const auto patched = apiserver::JsonPatch(before, patch);
    ASSERT_TRUE(patched.has_value()) << patched.error().message();
    EXPECT_EQ(*patched, after);
  }
}

}  // namespace
}  // namespace inferd::cluster
