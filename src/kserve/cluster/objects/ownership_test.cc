#include "kserve/cluster/objects/ownership.h"

#include <gtest/gtest.h>

#include "data/manifest/value_path.h"
#include "kserve/cluster/object_fixture.h"
#include "kserve/cluster/objects/resources.h"

namespace inferd::cluster {
namespace {

constexpr const char* kService =
    "{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, metadata: {name: iris, namespace: m, uid: u1}}";

TEST(OwnershipTest, WhoseAnObjectIs) {
  const struct {
    const char* metadata;
    Claim claim;
  } cases[] = {
      {"{}", Claim::kForeign},
      {"{labels: {serving.kserve.io/inferenceservice: iris}}", Claim::kFree},
      {"{labels: {serving.kserve.io/inferenceservice: other}}", Claim::kForeign},
      {"{ownerReferences: [{kind: InferenceService, apiVersion: serving.kserve.io/v1beta1, name: iris, uid: u1, "
       "controller: true}]}",
       Claim::kOwn},
      {"{ownerReferences: [{kind: Something, name: x, uid: u2, controller: false}, {kind: InferenceService, name: "
       "iris, "
       "uid: u1, controller: true}]}",
       Claim::kOwn},
      {"{ownerReferences: [{kind: InferenceService, apiVersion: serving.kserve.io/v1beta1, name: iris, uid: u0, "
       "controller: true}]}",
       Claim::kEarlier},
      {"{labels: {serving.kserve.io/inferenceservice: iris}, ownerReferences: [{kind: InferenceService, apiVersion: "
       "serving.kserve.io/v1beta1, name: other, uid: u0, controller: true}]}",
       Claim::kForeign},
      {"{ownerReferences: [{kind: Deployment, apiVersion: apps/v1, name: iris, uid: u9, controller: true}]}",
       Claim::kForeign},
      {"{ownerReferences: [{kind: Deployment, uid: u9}]}", Claim::kForeign},
      {"{ownerReferences: wrong, labels: [x]}", Claim::kForeign},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(ClaimOf(Yaml("{metadata: " + std::string(one.metadata) + "}"), Yaml(kService)), one.claim)
        << one.metadata;
  }
  EXPECT_EQ(OwnerText(Yaml("{metadata: {ownerReferences: [{kind: Deployment, name: web, controller: true}]}}")),
            "it is controlled by the Deployment \"web\"");
}

// A graph's Service has the same name as the Service of an InferenceService of that name.
TEST(OwnershipTest, AGraphsObjectsAreWrittenInANameOfTheirOwn) {
  EXPECT_EQ(FieldManagerOf(Yaml(kService)), "inferd-controller");
  EXPECT_EQ(FieldManagerOf(Yaml("{kind: InferenceGraph, metadata: {name: iris}}")), "inferd-controller-graphs");
}

TEST(OwnershipTest, NamesThatAreGivenToAServicesObjects) {
  const struct {
    const char* kind;
    const char* name;
    bool is;
  } cases[] = {{"Deployment", "iris-predictor-default", true},
               {"Service", "iris", true},
               {"Deployment", "iris-explainer-default-00012", true},
               {"Deployment", "iris-predictor-default-0001x", false},
               {"Deployment", "iris-predictor-default-000123", false},
               {"Service", "prev-iris-predictor-default", true},
               {"Service", "iris-metrics", false},
               {"ConfigMap", "modelconfig-iris-0", true},
               {"ConfigMap", "iris", false}};
  for (const auto& one : cases) EXPECT_EQ(IsNameOfService(one.kind, one.name, "iris"), one.is) << one.name;
}

TEST(OwnershipTest, AGraphsObjectsAreNoServices) {
  const auto graph =
      Yaml("{apiVersion: serving.kserve.io/v1alpha1, kind: InferenceGraph, metadata: {name: iris, uid: g1}}");
  const auto owned_by = [](const std::string& kind, const std::string& uid, const std::string& name) {
    return Yaml("{metadata: {name: " + name + ", ownerReferences: [{apiVersion: serving.kserve.io/v1, kind: " + kind +
                ", name: iris, uid: " + uid + ", controller: true}]}}");
  };
  EXPECT_EQ(ClaimOf(owned_by("InferenceGraph", "g1", "iris"), graph), Claim::kOwn);
  EXPECT_EQ(ClaimOf(owned_by("InferenceGraph", "g0", "iris"), graph), Claim::kEarlier);
  EXPECT_EQ(ClaimOf(owned_by("InferenceService", "u1", "iris"), graph), Claim::kForeign);
  EXPECT_EQ(ClaimOf(owned_by("InferenceGraph", "g1", "iris"), Yaml(kService)), Claim::kForeign);
  EXPECT_EQ(ClaimOf(Yaml("{metadata: {labels: {serving.kserve.io/inferenceservice: iris}}}"), graph), Claim::kForeign);
  EXPECT_EQ(ClaimOf(Yaml("{metadata: {labels: {serving.kserve.io/inferencegraph: iris}}}"), graph), Claim::kFree);
  EXPECT_TRUE(IsStray(Deployments(), owned_by("InferenceGraph", "g1", "iris"), graph));
  EXPECT_FALSE(IsStray(Deployments(), owned_by("InferenceGraph", "g1", "iris-predictor-default"), graph));
  const auto written = ForWriting(Yaml("{kind: X, metadata: {name: iris}}"), graph);
  EXPECT_EQ(manifest::TextAt(written, {"metadata", "labels", "serving.kserve.io/inferencegraph"}), "iris");
}

TEST(OwnershipTest, AnObjectIsKnownAgainHoweverItsFieldsAreOrdered) {
  const auto written =
      ForWriting(Yaml("{kind: X, metadata: {name: a}, spec: {a: [1, {b: 2, c: '3'}], d: true}}"), Yaml(kService));
  EXPECT_EQ(manifest::TextAt(written, {"metadata", "labels", "serving.kserve.io/inferenceservice"}), "iris");
  const auto same =
      ForWriting(Yaml("{spec: {d: true, a: [1, {c: '3', b: 2}]}, metadata: {name: a}, kind: X}"), Yaml(kService));
  EXPECT_TRUE(WasWritten(written, same));
  for (const char* other :
       {"{kind: X, metadata: {name: a}, spec: {a: [1, {b: 2, c: 3}], d: true}}",
        "{kind: X, metadata: {name: a}, spec: {a: [{b: 2, c: '3'}, 1], d: true}}",
        "{kind: X, metadata: {name: a}, spec: {a: [1, {b: 2}], d: true}}", "{kind: X, metadata: {name: a}}"}) {
    EXPECT_FALSE(WasWritten(written, ForWriting(Yaml(other), Yaml(kService)))) << other;
  }
  EXPECT_FALSE(WasWritten(Yaml("{metadata: {name: a}}"), written));
}

}  // namespace
}  // namespace inferd::cluster
