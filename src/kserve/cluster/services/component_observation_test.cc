#include "kserve/cluster/services/component_observation.h"

#include <gtest/gtest.h>

#include "kserve/cluster/object_fixture.h"

namespace inferd::cluster {
namespace {

using model::ComponentState;

constexpr const char* kAvailable = "{type: Available, status: 'True', reason: MinimumReplicasAvailable, message: m}";
constexpr const char* kUnavailable =
    "{type: Available, status: 'False', reason: MinimumReplicasUnavailable, message: Deployment does not have minimum "
    "availability.}";

class ObservationTest : public testing::Test {
 protected:
  manifest::Value Deployment(const std::string& conditions, int replicas = 1, int updated = 1, int available = 1) {
    return Yaml(
        "{metadata: {generation: 2, annotations: {deployment.kubernetes.io/revision: '2'}}, status: "
        "{observedGeneration: 2, replicas: " +
        std::to_string(replicas) + ", updatedReplicas: " + std::to_string(updated) +
        ", availableReplicas: " + std::to_string(available) + ", conditions: [" + conditions + "]}}");
  }
  void AddPod(const std::string& hash, const std::string& created, const std::string& status) {
    pods_.push_back(std::make_unique<manifest::Value>(
        Yaml("{metadata: {name: p" + std::to_string(pods_.size()) + ", creationTimestamp: '" + created +
             "', labels: {pod-template-hash: " + hash + ", serving.knative.dev/revision: " + hash + "}}, status: {" +
             status + "}}")));
    pointers_.push_back(pods_.back().get());
  }
  FoundComponent Found(const manifest::Value* live) {
    return {.kind = model::ComponentKind::kPredictor,
            .object = "iris-predictor-default",
            .live = live,
            .pods = pointers_,
            .written = written_};
  }

  model::WrittenRollout written_;
  std::vector<std::unique_ptr<manifest::Value>> pods_;
  std::vector<const manifest::Value*> pointers_;
};

TEST_F(ObservationTest, WhatIsNotThereIsNamed) {
  const ComponentState raw = ObserveDeployment(Found(nullptr));
  EXPECT_EQ(raw.observed->ready.status, "Unknown");
  EXPECT_EQ(raw.observed->ready.message, "the Deployment \"iris-predictor-default\" is not there yet");
  const auto silent = Yaml("{metadata: {generation: 1}}");
  EXPECT_EQ(ObserveDeployment(Found(&silent)).observed->ready.message,
            "the Deployment \"iris-predictor-default\" has no condition Available yet");
  const ComponentState knative = ObserveKnativeService(Found(nullptr));
  EXPECT_EQ(knative.observed->route.message, "the Knative Service \"iris-predictor-default\" is not there yet");
  EXPECT_EQ(ObserveKnativeService(Found(&silent)).observed->configuration.message,
            "the Knative Service \"iris-predictor-default\" has no condition ConfigurationsReady yet");
}

// An invalid condition makes nothing ready, and names no destination of requests.
TEST_F(ObservationTest, AStatusThatCannotBeReadIsNoReadiness) {
  for (const char* status : {"null", "{}", "[]", "x", "7", "{conditions: x}", "{conditions: [3, {}, {type: 3}]}",
                             "{conditions: [{type: Available}]}", "{conditions: [{type: Available, status: [True]}]}",
                             "{conditions: {type: Available, status: 'True'}}", "{traffic: x, conditions: [x]}"}) {
    const auto live = Yaml("{metadata: {generation: 1}, status: " + std::string(status) + "}");
    for (const ComponentState& state : {ObserveDeployment(Found(&live)), ObserveKnativeService(Found(&live))}) {
      EXPECT_NE(state.observed->ready.status, "True") << status;
      EXPECT_TRUE(state.traffic.empty()) << status;
      EXPECT_EQ(state.rollout, written_.rollout) << status;
    }
  }
}

TEST_F(ObservationTest, ADeploymentThatIsAvailable) {
  const auto live = Deployment(kAvailable);
  AddPod("h2", "2026-01-02T00:00:00Z", "conditions: [{type: Ready, status: 'True'}]");
  const ComponentState state = ObserveDeployment(Found(&live));
  EXPECT_EQ(state.observed->ready, (model::ObservedCondition{"True", "", ""}));
  ASSERT_EQ(state.revisions.size(), 1U);
  EXPECT_EQ(state.revisions[0].name, "2");
  EXPECT_TRUE(state.revisions[0].was_ready);
  EXPECT_EQ(state.rollout.latest_ready, "2");
  ASSERT_EQ(state.traffic.size(), 1U);
  EXPECT_EQ(state.traffic[0].revision, "2");
}

TEST_F(ObservationTest, PodsSayWhyADeploymentIsNotAvailable) {
  const auto live = Deployment(kUnavailable, 1, 1, 0);
  AddPod("h2", "2026-01-02T00:00:00Z",
         "containerStatuses: [{name: c, state: {waiting: {reason: ImagePullBackOff, message: no image}}}]");
  const ComponentState state = ObserveDeployment(Found(&live));
  EXPECT_EQ(state.observed->ready.reason, "MinimumReplicasUnavailable");
  EXPECT_EQ(state.observed->ready.message,
            "Deployment does not have minimum availability. pod \"p0\": ImagePullBackOff: no image");
  EXPECT_TRUE(state.traffic.empty());
  EXPECT_FALSE(state.revisions.at(0).was_ready);
}

TEST_F(ObservationTest, AQuotaThatLetsNoPodBeMadeIsSaid) {
  const auto live =
      Deployment(std::string(kUnavailable) +
                     ", {type: ReplicaFailure, status: 'True', reason: FailedCreate, message: exceeded quota}",
                 0, 0, 0);
  EXPECT_EQ(ObserveDeployment(Found(&live)).observed->ready.message,
            "Deployment does not have minimum availability. exceeded quota");
}

TEST_F(ObservationTest, WhileARolloutFailsThePodsOfBeforeGoOn) {
  written_.rollout.latest_ready = "1";
  const auto live = Deployment(kAvailable, 2, 1, 1);
  AddPod("h1", "2026-01-01T00:00:00Z", "conditions: [{type: Ready, status: 'True'}]");
  AddPod("h2", "2026-01-02T00:00:00Z",
         "containerStatuses: [{name: c, state: {terminated: {exitCode: 1, message: bad model}}}]");
  const ComponentState state = ObserveDeployment(Found(&live));
  EXPECT_EQ(state.observed->ready.status, "True");
  ASSERT_EQ(state.revisions.size(), 2U);
  EXPECT_TRUE(state.revisions[0].was_ready);
  EXPECT_EQ(state.revisions[1].name, "2");
  EXPECT_FALSE(state.revisions[1].was_ready);
  EXPECT_EQ(state.revisions[1].replicas.at(0).failure, "bad model");
  EXPECT_EQ(state.traffic.at(0).revision, "1");
  EXPECT_FALSE(state.traffic[0].latest);
  EXPECT_EQ(state.rollout.latest_ready, "1");
}

TEST_F(ObservationTest, AChangeThatWasNotLookedAtYetIsNotRolledOut) {
  auto live = Deployment(kAvailable);
  live.MapAt("metadata").Set("generation", manifest::Value::Int(3));
  EXPECT_FALSE(ObserveDeployment(Found(&live)).revisions.at(0).was_ready);
}

TEST_F(ObservationTest, AKnativeServicesRevisionsTrafficAndUrlAreItsOwn) {
  written_.rollout = {.latest_ready = "r1", .latest_rolled_out = "r1", .previous_rolled_out = ""};
  const auto live = Yaml(R"({status: {url: 'http://iris-predictor-default.m.example.org', latestCreatedRevisionName: r2,
    latestReadyRevisionName: r1, traffic: [{revisionName: r1, percent: 100, latestRevision: true}],
    conditions: [{type: Ready, status: 'False', reason: RevisionFailed, message: Revision "r2" failed.},
                 {type: RoutesReady, status: 'True'},
                 {type: ConfigurationsReady, status: 'False', reason: RevisionFailed, message: Revision "r2" failed.}]}})");
  AddPod("r2", "2026-01-02T00:00:00Z",
         "containerStatuses: [{name: c, state: {terminated: {exitCode: 1, message: bad model}}}]");
  const ComponentState state = ObserveKnativeService(Found(&live));
  EXPECT_EQ(state.observed->ready.message, "Revision \"r2\" failed. pod \"p0\": bad model");
  EXPECT_EQ(state.observed->route.status, "True");
  EXPECT_EQ(state.url, "http://iris-predictor-default.m.example.org");
  ASSERT_EQ(state.revisions.size(), 2U);
  EXPECT_EQ(state.revisions[0].name, "r1");
  EXPECT_TRUE(state.revisions[0].was_ready);
  EXPECT_EQ(state.revisions[1].replicas.at(0).failure, "bad model");
  EXPECT_EQ(state.traffic.at(0).revision, "r1");
  EXPECT_EQ(state.rollout.latest_rolled_out, "r1");
}

TEST_F(ObservationTest, ARevisionThatHasAllRequestsIsRolledOut) {
  written_.rollout = {.latest_ready = "r1", .latest_rolled_out = "r1", .previous_rolled_out = ""};
  const auto live = Yaml(R"({status: {latestCreatedRevisionName: r2, latestReadyRevisionName: r2,
    traffic: [{revisionName: r2, percent: 100, latestRevision: true}],
    conditions: [{type: Ready, status: 'True'}, {type: RoutesReady, status: 'True'},
                 {type: ConfigurationsReady, status: 'True'}]}})");
  const ComponentState state = ObserveKnativeService(Found(&live));
  EXPECT_EQ(state.rollout, (model::Rollout{"r2", "r2", "r1"}));
  ASSERT_EQ(state.revisions.size(), 1U);
  EXPECT_TRUE(state.revisions[0].was_ready);
}

}  // namespace
}  // namespace inferd::cluster
