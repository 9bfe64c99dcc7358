#include "kserve/clustergateway/router/router_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::clustergateway {
namespace {

using ::testing::HasSubstr;

std::string Graph(const std::string& steps, const std::string& type = "Sequence") {
  return R"({"nodes":{"root":{"routerType":")" + type + R"(","steps":[)" + steps + "]}}}";
}

base::Result<RouterGraph> Make(const std::string& json) {
  auto graph = ReadRouterGraph(json);
  if (!graph.has_value()) return std::unexpected(graph.error());
  return MakeRouterGraph(*graph);
}

TEST(RouterGraphTest, EachNameIsResolvedOnce) {
  const auto made = Make(Graph(R"({"serviceName":"a","serviceUrl":"http://a.ns.svc.cluster.local/v1/models/a:predict"},
    {"serviceUrl":"http://a.ns.svc.cluster.local/other"}, {"serviceUrl":"http://a.ns.svc.cluster.local:8080/"},
    {"serviceUrl":"http://10.0.0.1:8080/x"})"));
  ASSERT_TRUE(made.has_value()) << made.error().message();
  ASSERT_EQ(made->names.size(), 2U);
  EXPECT_EQ(made->names[0].host, "a.ns.svc.cluster.local");
  EXPECT_EQ(made->names[0].port, 80);
  EXPECT_EQ(made->names[1].port, 8080);
  const auto& steps = made->plan.nodes[0].steps;
  EXPECT_EQ(steps[0].target.address->destinations[0].backend, steps[1].target.address->destinations[0].backend);
  EXPECT_NE(steps[0].target.address->destinations[0].backend, steps[2].target.address->destinations[0].backend);
  EXPECT_EQ(steps[0].target.path, "/v1/models/a:predict");
  EXPECT_EQ(steps[3].target.address->destinations[0].backend->replicas(), 1U);
}

TEST(RouterGraphTest, AWholeObjectIsTakenForItsSpec) {
  const auto made = Make(R"({"apiVersion":"serving.kserve.io/v1alpha1","kind":"InferenceGraph","metadata":{"name":"g"},
    "spec":)" + Graph(R"({"serviceUrl":"http://10.0.0.1/"})") +
                         "}");
  ASSERT_TRUE(made.has_value()) << made.error().message();
  EXPECT_EQ(made->plan.nodes.size(), 1U);
}

TEST(RouterGraphTest, WhatIsNoGraphIsRefusedWithItsPlace) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "expected one JSON object"},
      {"[]", "expected one JSON object"},
      {"{", "graph:1:"},
      {"{}", "root node not found"},
      {R"({"nodes":[]})", "spec.nodes"},
      {Graph(""), "has no steps"},
      {Graph(R"({"serviceUrl":"http://a/"})", "Chain"), "routerType must be"},
      {Graph(R"({"serviceName":"a"})"), "serviceName 'a' needs its serviceUrl here"},
      {Graph(R"({"serviceUrl":"https://a/"})"), "not over https"},
      {Graph(R"({"serviceUrl":"a/b"})"), "expected http://HOST/PATH"},
      {Graph(R"({"serviceUrl":"http://a:99999/"})"), "has no port from 1 to 65535"},
      {Graph(R"({"nodeName":"root"})"), "loop"},
      {Graph(R"({"serviceUrl":"http://a/","nodeName":"root"})"), "specifies more than one"},
      {Graph(R"({"serviceUrl":"http://a/","condition":"a.#("})"), "spec.nodes.root.steps[0]"},
  };
  for (const auto& [json, message] : cases) {
    const auto made = Make(json);
    ASSERT_FALSE(made.has_value()) << json;
    EXPECT_EQ(made.error().code(), base::StatusCode::kInvalidArgument) << json;
    EXPECT_THAT(std::string(made.error().message()), HasSubstr(message)) << json;
  }
}

}  // namespace
}  // namespace inferd::clustergateway
