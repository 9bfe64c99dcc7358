#include "kserve/cluster/objects/difference.h"

#include <gmock/gmock.h>

#include "kserve/cluster/object_fixture.h"

namespace inferd::cluster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Texts(std::string_view live, std::string_view wanted) {
  std::vector<std::string> texts;
  for (const Difference& each : FindDifferences(Yaml(live), Yaml(wanted))) {
    texts.push_back(each.path + ": " + each.live + " -> " + each.wanted);
  }
  return texts;
}

TEST(DifferenceTest, WhatIsNoDifference) {
  const struct {
    const char* live;
    const char* wanted;
  } cases[] = {
      {"{a: 1, b: 2}", "{a: 1}"},
      {"{a: {x: [1], y: 2}}", "{a: {x: [1]}}"},
      // Values that a server writes differently, or omits.
      {"{cpu: '1', memory: 2Gi}", "{cpu: 1000m, memory: 2048Mi}"},
      {"{cpu: '1'}", "{cpu: 1}"},
      {"{port: 8080}", "{port: '8080'}"},
      {"{}", "{behavior: {}, list: [], text: '', no: false, zero: 0, nothing: null, deep: {a: [{}]}}"},
      {"{env: [{name: A}]}", "{env: [{name: A, value: ''}]}"},
      {"{a: null}", "{a: {}}"},
      // Additional items of others.
      {"{c: [{name: x, i: 1}, {name: z, i: 2}]}", "{c: [{name: z, i: 2}]}"},
      {"{c: [{name: x}, {name: z}]}", "{c: [{name: z}, {name: x}]}"},
  };
  for (const auto& one : cases) EXPECT_THAT(Texts(one.live, one.wanted), IsEmpty()) << one.wanted;
}

TEST(DifferenceTest, WhatIsOne) {
  const struct {
    const char* live;
    const char* wanted;
    const char* difference;
  } cases[] = {
      {"{a: {b: 1}}", "{a: {b: 2}}", "a.b: 1 -> 2"},
      {"{}", "{a: {b: 2}}", R"(a:  -> {"b":2})"},
      {"{a: x}", "{a: [x]}", R"(a: "x" -> ["x"])"},
      {"{a: true}", "{a: false}", "a: true -> false"},
      {"{a: x}", "{a: ''}", R"(a: "x" -> "")"},
      {"{cpu: '1'}", "{cpu: 1001m}", R"(cpu: "1" -> "1001m")"},
      {"{a: [1, 2]}", "{a: [2, 1]}", "a[0]: 1 -> 2"},
      {"{a: [1, 2]}", "{a: [1]}", "a: [1,2] -> [1]"},
      {"{a: [{name: x}]}", "{a: []}", R"(a: [{"name":"x"}] -> [])"},
      {"{c: [{name: x, i: 1}]}", "{c: [{name: x, i: 2}]}", "c[0].i: 1 -> 2"},
      {"{c: [{name: x}]}", "{c: [{name: z}]}", R"(c[0]:  -> {"name":"z"})"},
      {"{labels: {}}", "{labels: {a.b/c: d}}", R"(labels[a.b/c]:  -> "d")"},
  };
  for (const auto& one : cases) {
    const auto texts = Texts(one.live, one.wanted);
    ASSERT_FALSE(texts.empty()) << one.wanted;
    EXPECT_EQ(texts.front(), one.difference);
  }
  EXPECT_THAT(Texts("{a: 1, b: 1}", "{a: 2, b: 2}"), ElementsAre("a: 1 -> 2", "b: 1 -> 2"));
}

}  // namespace
}  // namespace inferd::cluster
