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

TEST(PlannedChangesTest, WhatIsDestructiveIsToldWithItsCauseAndPace) {
  const auto service = Yaml(
      "{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, metadata: {name: iris, namespace: m}, spec: "
      "{a: 1}}");
  Forecast forecast;
  const Destruction rolls = {.rolled = {"Deployment \"d\""}, .before = {.by_us = true}};
  const DecisionInputs inputs = {.owner = DigestOfUsersPart(service)};
  EXPECT_EQ(forecast.Add(service, inputs, rolls, true),
            "> InferenceService m/iris starts new pods of Deployment \"d\", because it was changed itself");
  EXPECT_THAT(forecast.Lines("InferenceService", 100, {}), testing::IsEmpty());
  const Destruction loses = {.lost = {"Ingress \"i\""}};
  const std::string why = "because another controller has made its objects";
  EXPECT_EQ(forecast.Add(service, inputs, loses, false), "> InferenceService m/iris deletes Ingress \"i\", " + why);
  EXPECT_THAT(forecast.Lines("InferenceService", 100, {}),
              ElementsAre("> 1 of 100 objects of kind InferenceService changes so " + why +
                          ": 20 in the first minute, then 10 a minute"));
}

TEST(PlannedChangesTest, AFileThatSaysTheSameIsNoEdit) {
  const auto live = Yaml("{metadata: {name: iris, uid: u}, spec: {a: 1, b: 2}, status: {s: 1}}");
  EXPECT_FALSE(IsEdited(&live, Yaml("{metadata: {name: iris}, spec: {a: 1}}")));
  EXPECT_TRUE(IsEdited(&live, Yaml("{metadata: {name: iris}, spec: {a: 3}}")));
  EXPECT_FALSE(IsEdited(nullptr, live));
}

}  // namespace
}  // namespace inferd::cluster
