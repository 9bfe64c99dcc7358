#include "kserve/model/status/service_status.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "data/manifest/read.h"
#include "data/manifest/value_path.h"

namespace inferd::model {
namespace {

using manifest::TextAt;
using manifest::Value;

InferenceService StatusTestService() {
  manifest::Problems problems;
  auto documents = manifest::ReadYaml(
      "{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, metadata: {name: iris, namespace: default, "
      "generation: 3}, spec: {predictor: {model: {modelFormat: {name: onnx}}}}}",
      "test");
  return ReadInferenceService(std::move(documents->front()), problems);
}

RevisionState StatusTestRevision(const std::string& name, bool ready, const std::string& failure = "") {
  return {.name = name,
          .was_ready = ready,
          .replicas = {{.name = name + "-0",
                        .state = ready             ? ReplicaState::kReady
                                 : failure.empty() ? ReplicaState::kStarting
                                                   : ReplicaState::kFailed,
                        .failure = failure,
                        .exit_code = failure.empty() ? std::nullopt : std::optional(1)}}};
}

class ServiceStatusTest : public ::testing::Test {
 protected:
  Value Make(const ServiceState& state, const Value* before = nullptr, const std::string& now = "t1") const {
    return MakeServiceStatus(StatusTestService(), state, {.config = config_, .gateway_port = 8080, .now = now}, before);
  }
  static std::string Truths(const Value& status) {
    return ConditionOf(status, "Ready") + " " + ConditionOf(status, "PredictorReady") + " " +
           ConditionOf(status, "IngressReady");
  }

  const InferenceServiceConfig config_;
  const ComponentState first_ = {
      .revisions = {StatusTestRevision("r1", true)},
      .rollout = {.latest_ready = "r1", .latest_rolled_out = "r1", .previous_rolled_out = {}},
      .traffic = {{.revision = "r1", .latest = true, .percent = 100, .tag = {}}}};
};

TEST_F(ServiceStatusTest, FieldsThatDoNothingAreNamed) {
  const Value status = Make({.components = {first_}, .unheeded = {"spec.a: is b", "spec.c: is d"}});
  EXPECT_EQ(Truths(status), "True True True");
  EXPECT_EQ(ConditionOf(status, "FieldsHonored"), "False");
  const auto& conditions = status.Find("conditions")->items();
  const auto found = std::ranges::find(conditions, "FieldsHonored",
                                       [](const Value& condition) { return TextAt(condition, {"type"}); });
  EXPECT_EQ(TextAt(*found, {"reason"}) + " " + TextAt(*found, {"severity"}), "FieldsNotHonored Info");
  EXPECT_EQ(TextAt(*found, {"message"}), "spec.a: is b; spec.c: is d");
  EXPECT_EQ(ConditionOf(Make({.components = {first_}}), "FieldsHonored"), "");
}

TEST_F(ServiceStatusTest, AMissingWebhookForPodsIsNamedAndDecidesNothing) {
  EXPECT_EQ(ConditionOf(Make({.components = {first_}}), "PodWebhookReady"), "");
  const Value status = Make(
      {.components = {first_},
       .pod_webhook = ObservedCondition{.status = "False", .reason = "PodWebhookMissing", .message = "install it"}});
  EXPECT_EQ(ConditionOf(status, "PodWebhookReady"), "False");
  EXPECT_EQ(Truths(status), "True True True");
}

TEST_F(ServiceStatusTest, OfAServiceThatServes) {
  const Value status =
      Make({.url = "http://iris.default.svc.cluster.local/v1/models/iris:predict", .components = {first_}});
  EXPECT_EQ(Truths(status), "True True True");
  EXPECT_EQ(TextAt(status, {"url"}), "http://iris-default.example.com:8080");
  EXPECT_EQ(TextAt(status, {"address", "url"}), "http://iris.default.svc.cluster.local/v1/models/iris:predict");
  EXPECT_EQ(TextAt(status, {"modelStatus", "transitionStatus"}), "UpToDate");
  EXPECT_EQ(TextAt(status, {"modelStatus", "copies", "totalCopies"}), "1");
  EXPECT_EQ(TextAt(status, {"components", "predictor", "latestReadyRevision"}), "r1");
  EXPECT_EQ(TextAt(status, {"observedGeneration"}), "3");
}

TEST_F(ServiceStatusTest, IsWhatARolloutGoesOnFrom) {
  ComponentState rolling = first_;
  rolling.revisions.push_back(StatusTestRevision("r2", false));
  rolling.rollout.previous_rolled_out = "r0";
  const Value service = Value::Map({{"status", Make({.url = "x", .components = {rolling}})}});
  const WrittenRollout written = ReadRollout(service, ComponentKind::kPredictor);
  EXPECT_EQ(written.latest_created, "r2");
  EXPECT_EQ(written.rollout, rolling.rollout);
  EXPECT_EQ(ReadRollout(service, ComponentKind::kExplainer).latest_created, "");
  EXPECT_EQ(ReadRollout(Value::Map(), ComponentKind::kPredictor).latest_created, "");
}

TEST_F(ServiceStatusTest, InRawModeThereAreNoRevisionsOfKnative) {
  const Value status = Make({.mode = DeploymentMode::kRawDeployment, .url = "x", .components = {first_}});
  EXPECT_EQ(Truths(status), "True True True");
  EXPECT_EQ(ConditionOf(status, "PredictorRouteReady"), "");
  EXPECT_EQ(TextAt(status, {"address", "url"}), "http://iris.default.svc.cluster.local");
}

TEST_F(ServiceStatusTest, WhatAClusterSaysGoesBeforeWhatIsConcluded) {
  ComponentState component = first_;
  component.observed = {.ready = {"False", "RevisionFailed", "it failed"},
                        .route = {"True", {}, {}},
                        .configuration = {"Unknown", "Deploying", "not yet"}};
  component.url = "https://iris-predictor-default.default.example.org";
  const Value status = Make({.url = "x", .components = {component}});
  EXPECT_EQ(Truths(status), "False False True");
  EXPECT_EQ(ConditionOf(status, "PredictorRouteReady"), "True");
  EXPECT_EQ(ConditionOf(status, "PredictorConfigurationReady"), "Unknown");
  EXPECT_EQ(TextAt(status, {"components", "predictor", "url"}), component.url);
  EXPECT_EQ(TextAt(status, {"url"}), "http://iris.default.example.org");
}

TEST_F(ServiceStatusTest, WhatLeadsToItFromOutsideMayBeMissing) {
  ServiceState state{.url = "x", .components = {first_}};
  state.ingress = ObservedCondition{"False", "IstioMissing", "install Istio"};
  const Value status = Make(state);
  EXPECT_EQ(Truths(status), "False True False");
  EXPECT_EQ(TextAt(status, {"url"}), "");
}

TEST_F(ServiceStatusTest, OfOneThatBegins) {
  const Value none = Make({});
  EXPECT_EQ(Truths(none), "False Unknown False");
  EXPECT_EQ(TextAt(none, {"modelStatus", "states", "targetModelState"}), "Pending");
  const Value starting = Make({.components = {{.revisions = {StatusTestRevision("r1", false)}}}});
  EXPECT_EQ(Truths(starting), "False Unknown False");
  EXPECT_EQ(TextAt(starting, {"modelStatus", "transitionStatus"}), "InProgress");
  EXPECT_EQ(TextAt(starting, {"modelStatus", "states", "targetModelState"}), "Loading");
  EXPECT_EQ(TextAt(starting, {"url"}), "");
}

TEST_F(ServiceStatusTest, OfOneWhoseProcessesEnd) {
  const Value status = Make({.components = {{.revisions = {StatusTestRevision("r1", false, "left with status 1")}}}});
  EXPECT_EQ(Truths(status), "False False False");
  EXPECT_EQ(ConditionOf(status, "PredictorRouteReady"), "False");
  EXPECT_EQ(TextAt(status, {"modelStatus", "transitionStatus"}), "BlockedByFailedLoad");
  EXPECT_EQ(TextAt(status, {"modelStatus", "lastFailureInfo", "reason"}), "ModelLoadFailed");
  EXPECT_EQ(TextAt(status, {"modelStatus", "lastFailureInfo", "message"}), "left with status 1");
  EXPECT_EQ(TextAt(status, {"modelStatus", "lastFailureInfo", "exitCode"}), "1");
  EXPECT_EQ(TextAt(status, {"modelStatus", "copies", "failedCopies"}), "1");
}

TEST_F(ServiceStatusTest, TheRevisionBeforeGoesOn) {
  ComponentState rolling = first_;
  rolling.revisions.push_back(StatusTestRevision("r2", false, "left with status 1"));
  const Value status = Make({.url = "x", .components = {rolling}});
  // The route stays. The failure of the newest revision is reported.
  EXPECT_EQ(Truths(status), "False False True");
  EXPECT_EQ(TextAt(status, {"modelStatus", "states", "activeModelState"}), "Loaded");
  EXPECT_EQ(TextAt(status, {"modelStatus", "states", "targetModelState"}), "FailedToLoad");
  EXPECT_EQ(TextAt(status, {"components", "predictor", "latestCreatedRevision"}), "r2");
}

TEST_F(ServiceStatusTest, OfOneThatNoRuntimeServes) {
  const Value status =
      Make({.failure = ResolutionFailure{
                .reason = "NoSupportingRuntime", .message = "No runtime found", .event = "no runtime for x"}});
  EXPECT_EQ(Truths(status), "False False False");
  EXPECT_EQ(TextAt(status, {"modelStatus", "transitionStatus"}), "InvalidSpec");
  EXPECT_EQ(TextAt(status, {"modelStatus", "lastFailureInfo", "reason"}), "NoSupportingRuntime");
}

TEST_F(ServiceStatusTest, TimesStayWhereNothingChanges) {
  const auto time = [](const Value& status, std::string_view type) {
    for (const Value& condition : status.Find("conditions")->items()) {
      if (TextAt(condition, {"type"}) == type) return TextAt(condition, {"lastTransitionTime"});
    }
    return std::string();
  };
  const Value first = Make({.components = {{.revisions = {StatusTestRevision("r1", false)}}}});
  const Value same = Make({.components = {{.revisions = {StatusTestRevision("r1", false)}}}}, &first, "t2");
  EXPECT_EQ(same, first);
  const Value ready = Make({.url = "x", .components = {first_}}, &first, "t3");
  EXPECT_EQ(time(ready, "Ready"), "t3");
}

}  // namespace
}  // namespace inferd::model
