#include "kserve/apiserver/patch/json_patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/manifest/print.h"
#include "data/manifest/read.h"
#include "kserve/apiserver/patch/merge_patch.h"

namespace inferd::apiserver {
namespace {

using ::testing::HasSubstr;

manifest::Value ReadJsonText(std::string_view text) {
  auto documents = manifest::ReadJson(text, "test");
  EXPECT_TRUE(documents.has_value()) << text;
  return std::move(documents->front());
}

std::string Patched(std::string_view document, std::string_view patch, const JsonPatchLimits& limits = {}) {
  const auto patched = JsonPatch(ReadJsonText(document), ReadJsonText(patch), limits);
  return patched.has_value() ? manifest::ToJson(*patched) : patched.error().ToString();
}

TEST(JsonPatch, DoesEachOperation) {
  const struct {
    std::string_view document, patch, result;
  } cases[] = {
      {R"({"a":1})", R"([{"op":"add","path":"/b","value":[1]}])", R"({"a":1,"b":[1]})"},
      {R"({"a":[1,3]})", R"([{"op":"add","path":"/a/1","value":2}])", R"({"a":[1,2,3]})"},
      {R"({"a":[1]})", R"([{"op":"add","path":"/a/-","value":2}])", R"({"a":[1,2]})"},
      {R"({"a":1})", R"([{"op":"add","path":"","value":{"b":2}}])", R"({"b":2})"},
      {R"({"a":1,"b":2})", R"([{"op":"remove","path":"/a"}])", R"({"b":2})"},
      {R"({"a":[1,2]})", R"([{"op":"remove","path":"/a/0"}])", R"({"a":[2]})"},
      {R"({"a":{"b":1}})", R"([{"op":"replace","path":"/a/b","value":2}])", R"({"a":{"b":2}})"},
      {R"({"a":{"b":1},"c":{}})", R"([{"op":"move","from":"/a/b","path":"/c/d"}])", R"({"a":{},"c":{"d":1}})"},
      {R"({"a":[1]})", R"([{"op":"copy","from":"/a","path":"/b"}])", R"({"a":[1],"b":[1]})"},
      {R"({"a/b":1,"c~d":2})", R"([{"op":"remove","path":"/a~1b"},{"op":"remove","path":"/c~0d"}])", R"({})"},
      {R"({"a":1})", R"([{"op":"test","path":"/a","value":1},{"op":"remove","path":"/a"}])", R"({})"},
  };
  for (const auto& each : cases) EXPECT_EQ(Patched(each.document, each.patch), each.result) << each.patch;
}

TEST(JsonPatch, RefusesWhatDoesNotApply) {
  const struct {
    std::string_view patch, error;
  } cases[] = {
      {R"({})", "INVALID_ARGUMENT: a JSON patch must be a list"},
      {R"([1])", "INVALID_ARGUMENT: an operation"},
      {R"([{"op":"add"}])", "INVALID_ARGUMENT: an operation"},
      {R"([{"op":"add","path":"/b"}])", "INVALID_ARGUMENT: the operation 'add' needs a value"},
      {R"([{"op":"do","path":"/b"}])", "INVALID_ARGUMENT: there is no operation 'do'"},
      {R"([{"op":"remove","path":"b"}])", "INVALID_ARGUMENT: 'b' is no JSON pointer"},
      {R"([{"op":"remove","path":"/~2"}])", "INVALID_ARGUMENT: '/~2' is no JSON pointer"},
      {R"([{"op":"remove","path":"/b"}])", "FAILED_PRECONDITION: remove operation of '/b'"},
      {R"([{"op":"remove","path":""}])", "FAILED_PRECONDITION"},
      {R"([{"op":"remove","path":"/a/5"}])", "FAILED_PRECONDITION"},
      {R"([{"op":"remove","path":"/a/01"}])", "FAILED_PRECONDITION"},
      {R"([{"op":"add","path":"/a/3","value":1}])", "FAILED_PRECONDITION"},
      {R"([{"op":"add","path":"/x/y","value":1}])", "FAILED_PRECONDITION"},
      {R"([{"op":"add","path":"/a/0/z","value":1}])", "FAILED_PRECONDITION"},
      {R"([{"op":"replace","path":"/b","value":1}])", "FAILED_PRECONDITION"},
      {R"([{"op":"test","path":"/a","value":1}])", "FAILED_PRECONDITION: test operation of '/a': test failed"},
      {R"([{"op":"move","from":"/a","path":"/a/0"}])", "FAILED_PRECONDITION"},
      {R"([{"op":"copy","from":"/b","path":"/c"}])", "FAILED_PRECONDITION"},
      {R"([{"op":"copy","path":"/c"}])", "INVALID_ARGUMENT"},
  };
  for (const auto& each : cases)
    EXPECT_THAT(Patched(R"({"a":[1,2]})", each.patch), HasSubstr(each.error)) << each.patch;
}

TEST(JsonPatch, HasLimits) {
  const JsonPatchLimits limits = {.operations_max = 3, .tokens_max = 2, .copied_values_max = 10};
  EXPECT_THAT(Patched("{}", R"([1,1,1,1])", limits),
              HasSubstr("The allowed maximum operations in a JSON patch is 3, got 4"));
  EXPECT_THAT(Patched("{}", R"([{"op":"remove","path":"/a/b/c"}])", limits), HasSubstr("more than 2 parts"));
  const std::string_view doubling = R"([{"op":"copy","from":"/a","path":"/a/b"},{"op":"copy","from":"/a","path":"/a/c"},
                                        {"op":"copy","from":"/a","path":"/a/d"}])";
  EXPECT_THAT(Patched(R"({"a":{"x":[1,2]}})", doubling, limits), HasSubstr("copies more than 10 values"));
}

TEST(MergePatch, MergesMapsAndReplacesTheRest) {
  const struct {
    std::string_view document, patch, result;
  } cases[] = {
      {R"({"a":{"b":1,"c":2}})", R"({"a":{"b":null,"d":[3]}})", R"({"a":{"c":2,"d":[3]}})"},
      {R"({"a":[1,2]})", R"({"a":[3]})", R"({"a":[3]})"},
      {R"({"a":1})", R"({"a":{"b":{"c":null,"d":1}}})", R"({"a":{"b":{"d":1}}})"},
      {R"({"a":1})", R"([1])", R"([1])"},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(manifest::ToJson(MergePatch(ReadJsonText(each.document), ReadJsonText(each.patch))), each.result)
        << each.patch;
  }
  EXPECT_EQ(
      manifest::ToJson(StrategicPatch(ReadJsonText(R"({"a":{"b":1}})"),
                                      ReadJsonText(R"({"a":{"$setElementOrder/x":[1],"b":2},"$retainKeys":["a"]})"))),
      R"({"a":{"b":2}})");
}

}  // namespace
}  // namespace inferd::apiserver
