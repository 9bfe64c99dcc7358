#include "kserve/gateway/graph/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kserve/model/objects_fixture.h"

namespace inferd::graph {
namespace {

using testing::HasSubstr;

TEST(ParseTargetTest, UrlsOfSteps) {
  struct Case {
    const char* url;
    const char* host;
    const char* path;
    bool has_address;
  };
  const Case cases[] = {
      {"http://iris.default.svc.cluster.local/v1/models/iris:predict", "iris.default.svc.cluster.local",
       "/v1/models/iris:predict", false},
      {"http://iris-default.localhost:8080/v2?x=1", "iris-default.localhost:8080", "/v2?x=1", false},
      {"http://host", "host", "/", false},
      {"http://127.0.0.1:81/a", "127.0.0.1:81", "/a", true},
      {"http://10.0.0.1/a", "10.0.0.1", "/a", true},
      {"http://[::1]:81/a", "[::1]:81", "/a", true},
      {"http://localhost:81/a", "localhost:81", "/a", true},
      {"http://localhost/a", "localhost", "/a", true},
  };
  for (const Case& each : cases) {
    const auto target = ParseTarget(each.url);
    ASSERT_TRUE(target.has_value()) << each.url;
    EXPECT_EQ(target->host, each.host);
    EXPECT_EQ(target->path, each.path);
    EXPECT_EQ(target->address != nullptr, each.has_address) << each.url;
  }
  for (const char* url : {"", "host/path", "ftp://host", "http://", "http:///x", "http://user@host/", "http://h/a b"}) {
    const auto target = ParseTarget(url);
    ASSERT_FALSE(target.has_value()) << url;
    EXPECT_THAT(target.error().message(), HasSubstr("expected http://HOST/PATH")) << url;
  }
  EXPECT_THAT(ParseTarget("https://host/").error().message(), HasSubstr("not over https"));
}

TEST(MakePlanTest, AGraphAsItIsRun) {
  const auto graph = model::ParseAs<model::InferenceGraph>(R"(
apiVersion: serving.kserve.io/v1alpha1
kind: InferenceGraph
metadata: {name: g}
spec:
  nodes:
    second: {routerType: Splitter, steps: [{serviceUrl: "http://h/x", weight: 30}, {serviceName: b, weight: 70}]}
    root:
      routerType: Sequence
      steps:
      - {serviceName: a, name: first}
      - {nodeName: second, data: $response, condition: "a.b", dependency: Hard}
)");
  const auto plan = MakePlan(graph, [](const std::string& name) { return "http://" + name + ".ns/p"; });
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  EXPECT_EQ(plan->root, 1U);
  const Node& root = plan->nodes[1];
  EXPECT_EQ(root.type, Node::Type::kSequence);
  EXPECT_EQ(root.steps[0].name, "first");
  EXPECT_EQ(root.steps[0].target.host, "a.ns");
  EXPECT_FALSE(root.steps[0].takes_response || root.steps[0].hard);
  EXPECT_EQ(root.steps[1].name, "1");
  EXPECT_EQ(root.steps[1].node, 0U);
  EXPECT_TRUE(root.steps[1].takes_response && root.steps[1].hard && root.steps[1].condition.has_value());
  EXPECT_EQ(plan->nodes[0].type, Node::Type::kSplitter);
  EXPECT_EQ(plan->nodes[0].steps[1].weight, 70U);

  const auto none = MakePlan(graph, [](const std::string&) -> base::Result<std::string> {
    return std::unexpected(base::NotFound("no such service"));
  });
  ASSERT_FALSE(none.has_value());
  EXPECT_THAT(none.error().message(), HasSubstr("spec.nodes.second.steps[1]: no such service"));
}

}  // namespace
}  // namespace inferd::graph
