#include "kserve/cluster/services/planned_changes.h"

#include <gmock/gmock.h>

#include "kserve/cluster/object_fixture.h"

namespace inferd::cluster {
namespace {

using testing::ElementsAre;

TEST(PlannedChangesTest, FieldsThatChangeComeAndGo) {
  const auto before = Yaml(
      "{metadata: {uid: u, resourceVersion: '1', annotations: {serving.inferd.io/written: a, x: y}}, spec: {a: 1, b: "
      "2, "
      "list: [{name: p}, {name: q}]}, status: {s: 1}}");
  const auto after = Yaml(
      "{metadata: {resourceVersion: '2', annotations: {serving.inferd.io/written: b, x: y}}, spec: {a: 3, c: {d: e}, "
      "list: [{name: q}]}, status: {s: 2}}");
  EXPECT_THAT(ChangesBetween(before, after), ElementsAre("spec.a: 1 -> 3", "spec.c: -> {\"d\":\"e\"}", "spec.b: 2 ->",
                                                         "spec.list[0]: {\"name\":\"p\"} ->"));
  EXPECT_THAT(ChangesBetween(before, before), testing::IsEmpty());
}

}  // namespace
}  // namespace inferd::cluster
