#include "kserve/model/reconcile/graph_objects.h"

#include <gmock/gmock.h>

#include "data/manifest/print.h"
#include "data/manifest/value_path.h"
#include "kserve/model/objects_fixture.h"

namespace inferd::model {
namespace {

using manifest::Value;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kNodes = "{root: {routerType: Sequence, steps: [{serviceName: iris}, {serviceName: digits}]}}";
constexpr const char* kUrl = "http://iris.m.svc.cluster.local/v1/models/iris:predict";

// Returns a graph in raw mode. `more` has further fields of its spec.
InferenceGraph GraphOf(const std::string& nodes, const std::string& more = "") {
  return ParseAs<InferenceGraph>(
      "apiVersion: serving.kserve.io/v1alpha1\nkind: InferenceGraph\n"
      "metadata: {name: chain, namespace: m, annotations: {serving.kserve.io/deploymentMode: RawDeployment}}\n"
      "spec: {nodes: " +
      nodes + more + "}\n");
}

std::string ReasonOf(const std::expected<GraphObjects, ResolutionFailure>& made) {
  return made.has_value() ? "none" : made.error().reason + ": " + made.error().message;
}

const Value& TemplateOf(const GraphObjects& made) {
  return *manifest::FieldAt(made.objects.front(), {"spec", "template"});
}

std::vector<std::string> KindsOf(const GraphObjects& made) {
  std::vector<std::string> kinds;
  for (const Value& object : made.objects) kinds.push_back(manifest::TextAt(object, {"kind"}));
  return kinds;
}

StepService EachThere(const std::string&) { return {.there = true, .url = kUrl}; }

TEST(GraphObjectsTest, AServiceThatIsMissingOrHasNoAddressIsNamedWithItsStep) {
  const auto find = [](const std::string& name) -> StepService {
    return name == "iris" ? StepService{.there = true, .url = kUrl} : StepService{.there = name == "early"};
  };
  EXPECT_EQ(ReasonOf(MakeGraphObjects(GraphOf(kNodes), {}, true, find)),
            "ServiceNotFound: spec.nodes.root.steps[1].serviceName: there is no InferenceService 'digits'");
  EXPECT_EQ(ReasonOf(MakeGraphObjects(GraphOf("{root: {routerType: Sequence, steps: [{serviceName: early}]}}"), {},
                                      true, find)),
            "ServiceNotReady: spec.nodes.root.steps[0].serviceName: the InferenceService 'early' has no address yet");
}

TEST(GraphObjectsTest, AGraphMayBeAsLargeAsAnArgument) {
  const auto graph_of = [](size_t condition) {
    return GraphOf(
        "{root: {routerType: Sequence, steps: [{serviceName: iris, condition: " + std::string(condition, 'a') + "}]}}");
  };
  const auto small = RouterGraphJson(graph_of(1), EachThere);
  ASSERT_TRUE(small.has_value());
  const size_t most = kGraphBytesMax - small->size() + 1;
  EXPECT_EQ(RouterGraphJson(graph_of(most), EachThere)->size(), kGraphBytesMax);
  EXPECT_EQ(ReasonOf(MakeGraphObjects(graph_of(most + 1), {}, false, EachThere)),
            "GraphTooLarge: spec.nodes: the graph has 131072 bytes with the URLs of its services; its router takes "
            "131071");
}

TEST(GraphObjectsTest, PodsAreOthersOnlyIfTheGraphIs) {
  const auto made = MakeGraphObjects(GraphOf(kNodes), {}, false, EachThere);
  ASSERT_TRUE(made.has_value());
  for (const char* more : {", minReplicas: 3", ", maxReplicas: 7", ", scaleMetric: memory", ", scaleTarget: 5"}) {
    const auto scaled = MakeGraphObjects(GraphOf(kNodes, more), {}, false, EachThere);
    ASSERT_TRUE(scaled.has_value());
    EXPECT_EQ(TemplateOf(*scaled), TemplateOf(*made)) << more;
  }
  const auto elsewhere = MakeGraphObjects(GraphOf(kNodes), {}, false,
                                          [](const std::string&) { return StepService{true, "http://other/"}; });
  EXPECT_NE(TemplateOf(*elsewhere), TemplateOf(*made));
  const auto timed = MakeGraphObjects(GraphOf(kNodes, ", timeout: 5"), {}, false, EachThere);
  EXPECT_THAT(manifest::ToJson(TemplateOf(*timed)), HasSubstr("\\\"timeout\\\":5"));
}

TEST(GraphObjectsTest, KnativeIsAskedOnlyWhereItIs) {
  InferenceGraph graph = GraphOf(kNodes);
  graph.metadata.annotations.clear();
  const auto with = MakeGraphObjects(graph, {}, true, EachThere);
  const auto without = MakeGraphObjects(graph, {}, false, EachThere);
  EXPECT_THAT(KindsOf(*with), ElementsAre("Service"));
  EXPECT_EQ(manifest::TextAt(with->objects.front(), {"apiVersion"}), "serving.knative.dev/v1");
  EXPECT_TRUE(with->knative);
  EXPECT_THAT(KindsOf(*without), ElementsAre("Deployment", "Service", "HorizontalPodAutoscaler"));
  EXPECT_FALSE(without->knative);
  EXPECT_EQ(without->url, "http://chain.m.svc.cluster.local") << "nothing leads to it from outside";
}

TEST(GraphObjectsTest, WhatTheConfigurationGetsWrongIsSaid) {
  InferenceServiceConfig config;
  config.router.memory_limit = "much";
  EXPECT_THAT(ReasonOf(MakeGraphObjects(GraphOf(kNodes), config, false, EachThere)),
              testing::StartsWith("InvalidConfig: Failed to parse resource configuration for \"router\": "));
  config = {};
  config.ingress.class_name = "nginx";
  config.ingress.domain_template = "{{ .Unknown }}";
  EXPECT_THAT(ReasonOf(MakeGraphObjects(GraphOf(kNodes), config, false, EachThere)),
              testing::StartsWith("InvalidConfig: domainTemplate"));
}

}  // namespace
}  // namespace inferd::model
