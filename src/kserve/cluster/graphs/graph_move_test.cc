#include "kserve/cluster/graphs/graph_move.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "data/manifest/value_path.h"
#include "kserve/cluster/graphs/graph_decision.h"
#include "kserve/cluster/object_fixture.h"
#include "kserve/cluster/objects/resources.h"

namespace inferd::cluster {
namespace {

using manifest::TextAt;
using manifest::Value;
using testing::ElementsAre;
using testing::IsEmpty;
using Step = WayMove::Step;

constexpr const char* kOwnedByChain =
    "ownerReferences: [{apiVersion: serving.kserve.io/v1alpha1, kind: InferenceGraph, name: chain, uid: g1, "
    "controller: true}]";
constexpr const char* kRouterRolledOut =
    "status: {observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1, conditions: [{type: "
    "Available, status: 'True'}]}";

// Tests with a graph in a cluster with Knative. By default the graph's mode is the default.
class GraphMoveTest : public testing::Test {
 protected:
  // `mode` is the value of its annotation; empty if it has none.
  GraphDecision Decide(const std::string& mode) {
    graph_ = Yaml(
        "{apiVersion: serving.kserve.io/v1alpha1, kind: InferenceGraph, metadata: {name: chain, namespace: m, uid: g1"
        ", annotations: {" +
        (mode.empty() ? "" : "serving.kserve.io/deploymentMode: " + mode) +
        "}}, spec: {nodes: {root: {routerType: Sequence, steps: [{serviceUrl: 'http://elsewhere/'}]}}}}");
    return DecideGraph(graph_, {.configuration = configuration_,
                                .has_knative = has_knative_,
                                .has_gateway_api = false,
                                .served = ServedWayOf(graph_, there_),
                                .there = there_,
                                .find = [](const std::string&) { return model::StepService(); }});
  }
  void Have(const kubernetes::Resource& resource, const std::string& metadata, const std::string& rest) {
    std::erase_if(there_, [&](const LabelledObject& each) { return *each.resource == resource; });
    const std::string yaml = "{metadata: {name: chain, generation: 1, " + metadata + kOwnedByChain + "}, " + rest + "}";
    const auto written = std::ranges::find(WrittenResources(), resource, &WrittenResource::resource);
    there_.push_back({&written->resource, std::make_shared<const Value>(Yaml(yaml))});
  }
  // Has the objects of a router that is a Deployment, made with that annotation.
  void HaveDeployment(const std::string& mode) {
    Have(Deployments(), "annotations: {serving.kserve.io/deploymentMode: " + mode + "}, ", kRouterRolledOut);
    Have(PlainServices(), "", "spec: {}");
  }
  void HaveKnative(const std::string& configurations, const std::string& ready) {
    Have(KnativeServices(), "",
         "status: {url: 'http://chain.m.example.com', conditions: [{type: ConfigurationsReady, status: '" +
             configurations + "'}, {type: RoutesReady, status: '" + ready + "'}, {type: Ready, status: '" + ready +
             "'}]}");
  }
  // Returns the kinds of the objects that are written.
  static std::vector<std::string> Kinds(const GraphDecision& decision) {
    std::vector<std::string> kinds;
    for (const Value& object : decision.desired.objects) kinds.push_back(TextAt(object, {"kind"}));
    return kinds;
  }
  // Returns the kinds of the objects that are deleted.
  std::vector<std::string> Strays(const GraphDecision& decision) {
    const std::set<std::string> kept;
    const ObjectSet set = {
        .owner = graph_, .wanted = decision.desired.objects, .kept = kept, .there = there_, .goes = WhatGoes(decision)};
    std::vector<std::string> kinds;
    for (const LabelledObject& stray : StraysOf(set)) kinds.push_back(stray.resource->kind);
    std::ranges::sort(kinds);
    return kinds;
  }
  std::string StatusOf(const GraphDecision& decision) {
    return model::ReadyOf(ObserveGraph(decision, there_, {})).status;
  }
  std::string UrlOf(const GraphDecision& decision) { return ObserveGraph(decision, there_, {}).url; }
  std::string WayOf(const GraphDecision& decision) {
    const model::GraphState state = ObserveGraph(decision, there_, {});
    const auto found = state.notices.find(kWayNotice);
    return found == state.notices.end() ? "" : found->second.reason;
  }

  Configuration configuration_;
  bool has_knative_ = true;
  Value graph_;
  std::vector<LabelledObject> there_;
};

TEST_F(GraphMoveTest, AGraphThatStaysMovesNowhere) {
  EXPECT_FALSE(Decide("Serverless").move.has_value()) << "a new one";
  HaveDeployment("RawDeployment");
  EXPECT_FALSE(Decide("RawDeployment").move.has_value());
  there_.clear();
  HaveKnative("True", "True");
  EXPECT_FALSE(Decide("Serverless").move.has_value());
}

TEST_F(GraphMoveTest, FromADeploymentToKnativeTheOldRouterAnswersUntilTheNewOneIsReady) {
  HaveDeployment("RawDeployment");
  for (const char* configurations : {"", "Unknown", "False"}) {
    if (*configurations != '\0') HaveKnative(configurations, configurations);
    const GraphDecision first = Decide("Serverless");
    ASSERT_TRUE(first.move.has_value());
    EXPECT_EQ(first.move->step, Step::kPrepare);
    EXPECT_THAT(Kinds(first), ElementsAre("Service")) << "Knative's";
    EXPECT_THAT(Strays(first), IsEmpty());
    EXPECT_EQ(StatusOf(first), "True");
    EXPECT_EQ(UrlOf(first), "http://chain.m.svc.cluster.local");
    EXPECT_EQ(WayOf(first), "MovingToAnotherWay");
  }
  // The pods are ready, and Knative's route needs the name.
  HaveKnative("True", "False");
  const GraphDecision second = Decide("Serverless");
  EXPECT_EQ(second.move->step, Step::kFreeNames);
  EXPECT_THAT(Strays(second), ElementsAre("Service"));
  EXPECT_EQ(StatusOf(second), "True");
  HaveKnative("True", "True");
  const GraphDecision last = Decide("Serverless");
  EXPECT_EQ(last.move->step, Step::kFinish);
  EXPECT_THAT(Strays(last), ElementsAre("Deployment", "Service"));
  EXPECT_EQ(UrlOf(last), "http://chain.m.example.com");
  EXPECT_EQ(WayOf(last), "");
}

TEST_F(GraphMoveTest, FromKnativeToADeploymentItIsAvailableFirst) {
  HaveKnative("True", "True");
  for (const char* status : {"", "status: {observedGeneration: 1, conditions: [{type: Available, status: 'False'}]}"}) {
    if (*status != '\0') Have(Deployments(), "", status);
    const GraphDecision first = Decide("RawDeployment");
    ASSERT_TRUE(first.move.has_value());
    EXPECT_EQ(first.move->step, Step::kPrepare);
    EXPECT_THAT(Kinds(first), ElementsAre("Deployment", "HorizontalPodAutoscaler"));
    EXPECT_THAT(Strays(first), IsEmpty());
    EXPECT_EQ(StatusOf(first), "True");
    EXPECT_EQ(UrlOf(first), "http://chain.m.example.com");
  }
  Have(Deployments(), "", kRouterRolledOut);
  const GraphDecision last = Decide("RawDeployment");
  EXPECT_EQ(last.move->step, Step::kFinish);
  EXPECT_THAT(Kinds(last), ElementsAre("Deployment", "Service", "HorizontalPodAutoscaler"));
  EXPECT_THAT(Strays(last), ElementsAre("Service")) << "Knative's";
  EXPECT_EQ(UrlOf(last), "http://chain.m.svc.cluster.local");
}

TEST_F(GraphMoveTest, WhatTheClusterOrTheConfigurationSaysMovesNothing) {
  HaveDeployment("Serverless");  // there was no Knative
  GraphDecision stays = Decide("Serverless");
  EXPECT_FALSE(stays.move.has_value());
  EXPECT_EQ(WayOf(stays), "DeploymentKept");
  EXPECT_THAT(Strays(stays), IsEmpty());
  EXPECT_EQ(Decide("Knative").move->step, Step::kPrepare) << "its annotation asks for it by name";
  EXPECT_TRUE(Decide("Knative").desired.knative);
  has_knative_ = false;
  EXPECT_EQ(WayOf(Decide("Serverless")), "") << "there is no other way";
  has_knative_ = true;
  HaveDeployment("RawDeployment");
  configuration_.config.default_mode = model::DeploymentMode::kServerless;
  stays = Decide("");
  EXPECT_FALSE(stays.move.has_value());
  EXPECT_FALSE(stays.desired.knative);
  EXPECT_EQ(WayOf(stays), "DeploymentModeKept");
  there_.clear();
  HaveKnative("True", "True");
  configuration_.config.default_mode = model::DeploymentMode::kRawDeployment;
  stays = Decide("");
  EXPECT_FALSE(stays.move.has_value());
  EXPECT_TRUE(stays.desired.knative);
  EXPECT_EQ(WayOf(stays), "DeploymentModeKept");
}

TEST_F(GraphMoveTest, WhoTurnsBackIsThereAtOnce) {
  HaveDeployment("RawDeployment");
  HaveKnative("Unknown", "Unknown");
  const GraphDecision back = Decide("RawDeployment");
  EXPECT_EQ(back.move->step, Step::kFinish);
  EXPECT_THAT(Strays(back), ElementsAre("Service")) << "Knative's";
  EXPECT_EQ(UrlOf(back), "http://chain.m.svc.cluster.local");
}

// A failure during a move changes nothing, and the status describes the router that has the requests.
TEST_F(GraphMoveTest, AFailureOnTheWayLeavesBothRouters) {
  HaveDeployment("RawDeployment");
  HaveKnative("Unknown", "Unknown");
  configuration_.problems.push_back({.path = "data.router", .message = "no JSON"});
  const GraphDecision failed = Decide("Serverless");
  ASSERT_TRUE(failed.failure.has_value());
  EXPECT_EQ(ObserveGraph(failed, there_, {}).routes.status, "True");
}

}  // namespace
}  // namespace inferd::cluster
