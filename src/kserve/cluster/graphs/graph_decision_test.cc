#include "kserve/cluster/graphs/graph_decision.h"

#include <gmock/gmock.h>

#include "data/manifest/print.h"
#include "data/manifest/value_path.h"
#include "kserve/cluster/object_fixture.h"
#include "kserve/cluster/objects/difference.h"
#include "kserve/cluster/objects/resources.h"
#include "kserve/model/schema/field_walk_fixture.h"

namespace inferd::cluster {
namespace {

using manifest::Value;
using model::GraphState;
using model::ReadyOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kChain =
    "{apiVersion: serving.kserve.io/v1alpha1, kind: InferenceGraph, metadata: {name: chain, namespace: m, uid: g1, "
    "generation: 3, annotations: {serving.kserve.io/deploymentMode: RawDeployment}}, spec: {nodes: {root: {routerType: "
    "Sequence, steps: [{serviceName: iris}]}}}}";
constexpr const char* kRolledOut =
    "{metadata: {name: chain, generation: 2, annotations: {deployment.kubernetes.io/revision: '2'}}, status: "
    "{observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: 1, conditions: [{type: Available, "
    "status: 'True'}]}}";

class GraphDecisionTest : public testing::Test {
 protected:
  GraphDecision Decide(const std::string& document) {
    return DecideGraph(Yaml(document), {.configuration = configuration_,
                                        .has_knative = has_knative_,
                                        .has_gateway_api = false,
                                        .served = {},
                                        .there = there_,
                                        .find = [this](const std::string& name) {
                                          return name == "iris" ? iris_ : model::StepService();
                                        }});
  }
  void Add(const kubernetes::Resource& resource, const std::string& document) {
    there_.push_back({&resource, std::make_shared<const Value>(Yaml(document))});
  }
  // Observes the live objects. By default none of them was just written.
  GraphState Observe(const std::string& document, const SetResult& result = {}) {
    return ObserveGraph(Decide(document), there_, result);
  }

  Configuration configuration_;
  bool has_knative_ = false;
  model::StepService iris_ = {.there = true, .url = "http://iris.m.svc.cluster.local/v1/models/iris:predict"};
  std::vector<LabelledObject> there_;
};

TEST_F(GraphDecisionTest, ItsObjectsBelongToIt) {
  const GraphDecision decision = Decide(kChain);
  ASSERT_FALSE(decision.failure.has_value());
  ASSERT_EQ(decision.desired.objects.size(), 3U);
  for (const Value& object : decision.desired.objects) {
    const Value& owner = manifest::FieldAt(object, {"metadata", "ownerReferences"})->items().front();
    EXPECT_EQ(manifest::TextAt(owner, {"kind"}) + " " + manifest::TextAt(owner, {"uid"}), "InferenceGraph g1");
  }
}

// Go clients write unset structs like this.
TEST_F(GraphDecisionTest, AnEmptyStructIsAnAbsentOne) {
  const Value chain = Yaml(kChain);
  const auto made_of = [&](const model::WalkedField& walked, const std::optional<Value>& value) {
    Value graph = chain;
    Value& owner = model::OwnerOfField(graph.MapAt("spec"), walked);
    value.has_value() ? owner.Set(walked.field().name, *value) : static_cast<void>(owner.Remove(walked.field().name));
    const GraphDecision decision = Decide(manifest::ToJson(graph));
    EXPECT_FALSE(decision.failure.has_value()) << walked.path;
    return decision.desired.objects;
  };
  const auto is_same = [](const std::vector<Value>& one, const std::vector<Value>& other) {
    if (one.size() != other.size()) return false;
    for (size_t i = 0; i < one.size(); ++i) {
      if (!FindDifferences(one[i], other[i]).empty() || !FindDifferences(other[i], one[i]).empty()) return false;
    }
    return true;
  };
  int structs = 0;
  for (const model::WalkedField& walked : model::WalkFields("InferenceGraph")) {
    if (walked.path.starts_with("nodes")) continue;
    const std::vector<Value> absent = made_of(walked, std::nullopt);
    EXPECT_TRUE(is_same(absent, made_of(walked, Value()))) << walked.path << ": null";
    const bool is_struct = walked.field().type == model::FieldType::kObject ||
                           walked.field().type == model::FieldType::kAny ||
                           walked.field().shape != model::FieldShape::kOne;
    if (!is_struct) continue;
    const bool is_list = walked.field().shape == model::FieldShape::kList;
    EXPECT_TRUE(is_same(absent, made_of(walked, is_list ? Value::List() : Value::Map()))) << walked.path << ": empty";
    ++structs;
  }
  EXPECT_EQ(structs, 5);
}

TEST_F(GraphDecisionTest, WhatAWebhookWouldDenyIsSaidWithItsField) {
  const struct {
    const char* nodes;
    const char* message;
  } cases[] = {
      {"{root: {routerType: Sequence, steps: [{nodeName: a}]}, a: {routerType: Sequence, steps: [{nodeName: root}]}}",
       "spec.nodes.a.steps[0]: nodeName: the graph has a loop: 'root' leads back to itself"},
      {"{root: {routerType: Sequence, steps: [{nodeName: gone}]}}",
       "spec.nodes.root.steps[0]: nodeName: there is no node 'gone'"},
      {"{root: {routerType: Random, steps: [{serviceName: iris}]}}",
       "spec.nodes.root: routerType must be Sequence, Splitter, Ensemble or Switch, not 'Random'"},
      {"{root: {routerType: Sequence, steps: [{serviceName: 7}]}}", "spec.nodes.root.steps[0].serviceName: must be a"},
      {"[root]", "spec.nodes: must be a map"},
  };
  for (const auto& one : cases) {
    const GraphDecision decision =
        Decide("{metadata: {name: g, namespace: m}, spec: {nodes: " + std::string(one.nodes) + "}}");
    ASSERT_TRUE(decision.failure.has_value()) << one.nodes;
    EXPECT_EQ(decision.failure->reason, "InvalidGraph");
    EXPECT_THAT(decision.failure->message, HasSubstr(one.message));
    EXPECT_THAT(decision.desired.objects, IsEmpty());
  }
  const GraphDecision named = Decide("{metadata: {name: " + std::string(253, 'a') +
                                     ", namespace: m}, spec: {nodes: {root: {routerType: Sequence, steps: "
                                     "[{serviceName: iris}]}}}}");
  EXPECT_THAT(named.failure->message, HasSubstr("metadata.name: must be the name of a Service, too"));
}

TEST_F(GraphDecisionTest, AConfigurationThatCannotBeReadIsNoGraphsFault) {
  configuration_.problems.push_back({.path = "data.router", .message = "no JSON"});
  EXPECT_EQ(Decide(kChain).failure->reason, "InvalidConfig");
}

TEST_F(GraphDecisionTest, RoutesOfAnApiThatTheClusterLacksAreLeftOut) {
  configuration_.config.ingress.enable_gateway_api = true;
  const GraphDecision decision = Decide(kChain);
  ASSERT_FALSE(decision.failure.has_value());
  EXPECT_EQ(decision.desired.objects.size(), 3U);
  EXPECT_EQ(decision.routes->reason, "GatewayApiMissing");
  Add(Deployments(), kRolledOut);
  const GraphState state = Observe(kChain);
  EXPECT_EQ(state.configurations.status, "True");
  EXPECT_EQ(state.routes.reason, "GatewayApiMissing");
}

TEST_F(GraphDecisionTest, AGraphIsReadyWhenItsRouterIs) {
  EXPECT_EQ(ReadyOf(Observe(kChain)).message, "the Deployment \"chain\" is not there yet");
  EXPECT_EQ(ReadyOf(Observe(kChain)).status, "Unknown");
  Add(Deployments(), kRolledOut);
  const GraphState state = Observe(kChain);
  EXPECT_EQ(ReadyOf(state).status, "True");
  EXPECT_EQ(state.generation, 3);
  EXPECT_EQ(state.url, "http://chain.m.svc.cluster.local");
}

TEST_F(GraphDecisionTest, ARouterThatIsOnItsWayIsNotTheOneThatAnswers) {
  Add(Deployments(), kRolledOut);
  EXPECT_EQ(Observe(kChain, {.applied = {"Deployment"}, .failures = {}}).configurations.reason, "RouterUpdating");
  EXPECT_EQ(Observe(kChain, {.applied = {"HorizontalPodAutoscaler"}, .failures = {}}).configurations.status, "True");
  there_.clear();
  Add(Deployments(),
      "{metadata: {name: chain, generation: 3, annotations: {deployment.kubernetes.io/revision: '2'}}, status: "
      "{observedGeneration: 3, replicas: 2, updatedReplicas: 1, availableReplicas: 1, conditions: [{type: Available, "
      "status: 'True'}]}}");
  Add(Pods(),
      "{metadata: {name: p0, creationTimestamp: '2026-01-01T00:00:00Z', labels: {pod-template-hash: a}}, status: "
      "{phase: Running}}");
  Add(Pods(),
      "{metadata: {name: p1, creationTimestamp: '2026-01-02T00:00:00Z', labels: {pod-template-hash: b}}, status: "
      "{containerStatuses: [{name: chain, restartCount: 1, state: {waiting: {reason: CrashLoopBackOff}}, lastState: "
      "{terminated: {exitCode: 2, message: no such host}}}]}}");
  const GraphState state = Observe(kChain);
  EXPECT_EQ(state.routes.status, "True");
  EXPECT_EQ(state.configurations.status, "Unknown");
  EXPECT_THAT(state.configurations.message, HasSubstr("pod \"p1\": "));
  EXPECT_THAT(state.configurations.message, HasSubstr("no such host"));
}

TEST_F(GraphDecisionTest, AServiceThatVanishesLeavesTheRouterAsItIs) {
  iris_ = {};
  EXPECT_EQ(Observe(kChain).configurations.reason, "ServiceNotFound");
  EXPECT_EQ(Observe(kChain).routes.reason, "ServiceNotFound");
  Add(Deployments(), kRolledOut);
  const GraphState state = Observe(kChain);
  EXPECT_EQ(state.configurations.message, "spec.nodes.root.steps[0].serviceName: there is no InferenceService 'iris'");
  EXPECT_EQ(state.routes.status, "True");
}

TEST_F(GraphDecisionTest, WhatKnativeSaysIsTheGraphs) {
  has_knative_ = true;
  const std::string chain =
      "{metadata: {name: chain, namespace: m}, spec: {nodes: {root: {routerType: Sequence, steps: "
      "[{serviceName: iris}]}}}}";
  EXPECT_EQ(Observe(chain).routes.message, "the Knative Service \"chain\" is not there yet");
  Add(KnativeServices(),
      "{metadata: {name: chain}, status: {url: 'http://chain.m.example.com', latestCreatedRevisionName: chain-00001, "
      "latestReadyRevisionName: chain-00001, conditions: [{type: ConfigurationsReady, status: 'True'}, {type: "
      "RoutesReady, status: 'Unknown', reason: Uninitialized, message: no ingress}, {type: Ready, status: Unknown}]}}");
  const GraphState state = Observe(chain);
  EXPECT_EQ(state.configurations.status, "True");
  EXPECT_EQ(state.routes.reason, "Uninitialized");
  EXPECT_EQ(state.url, "http://chain.m.example.com");
  iris_ = {};
  EXPECT_EQ(Observe(chain).routes.reason, "Uninitialized") << "it goes on";
}

TEST_F(GraphDecisionTest, WhatCouldNotBeWrittenIsSaid) {
  Add(Deployments(), kRolledOut);
  SetResult result;
  result.failures.push_back({.kind = "Ingress", .failure = {.transient = false, .reason = "NotOwned", .message = "m"}});
  EXPECT_EQ(Observe(kChain, result).routes.reason, "NotOwned");
  EXPECT_EQ(Observe(kChain, result).configurations.status, "True");
  result.failures.front().kind = "Deployment";
  EXPECT_EQ(Observe(kChain, result).configurations.reason, "NotOwned");
  result.failures.front().failure.transient = true;
  EXPECT_EQ(ReadyOf(Observe(kChain, result)).status, "True") << "it is tried again";
}

TEST(StepServiceTest, ItsAddressIsTheStatuss) {
  EXPECT_FALSE(StepServiceOf(nullptr, {}, {}).there);
  const std::string service = "metadata: {name: a, namespace: m}, spec: {predictor: {model: {modelFormat: {name: onnx}";
  const Value early = Yaml("{" + service + "}}}}");
  EXPECT_TRUE(StepServiceOf(&early, {}, {}).there);
  EXPECT_EQ(StepServiceOf(&early, {}, {}).url, "");
  const std::string address = "}}, status: {address: {url: 'http://a.m.svc.cluster.local'}}}";
  const Value ready = Yaml("{" + service + "}" + address);
  EXPECT_EQ(StepServiceOf(&ready, {}, {}).url, "http://a.m.svc.cluster.local/v1/models/a:predict");
  const Value newer = Yaml("{" + service + ", protocolVersion: v2}" + address);
  EXPECT_EQ(StepServiceOf(&newer, {}, {}).url, "http://a.m.svc.cluster.local/v2/models/a/infer");
}

}  // namespace
}  // namespace inferd::cluster
