#include "kserve/clustergateway/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

namespace inferd::clustergateway {
namespace {

using Variables = std::map<std::string, std::string>;

ParsedCommandLine Parse(std::vector<const char*> arguments, Variables variables = {}) {
  arguments.insert(arguments.begin(), "inferd-gateway");
  return ParseCommandLine(static_cast<int>(arguments.size()), arguments.data(),
                          [&](const std::string& name) { return variables[name]; });
}

TEST(GatewayCommandLineTest, AGraphIsGivenAsTextOrFile) {
  const auto text =
      Parse({"--graph-json", "{}", "--port", "0", "--drain-grace-ms", "5"}, {{"PROPAGATE_HEADERS", " ^x-a$, x-b,,"}});
  ASSERT_FALSE(text.exit_status.has_value());
  EXPECT_EQ(text.router.graph, "{}");
  EXPECT_EQ(text.router.port, 0);
  EXPECT_EQ(text.router.drain_grace, std::chrono::milliseconds(5));
  EXPECT_THAT(text.router.propagated, ::testing::ElementsAre("^x-a$", "x-b"));

  const std::string path = ::testing::TempDir() + "/graph.json";
  std::ofstream(path) << R"({"nodes":{}})";
  const auto file = Parse({"--graph-file", path.c_str()});
  ASSERT_FALSE(file.exit_status.has_value());
  EXPECT_EQ(file.router.graph, R"({"nodes":{}})");
  EXPECT_EQ(file.router.port, 8080);
}

TEST(GatewayCommandLineTest, AClusterIsServed) {
  const auto parsed = Parse({"--cluster", "--kubeconfig", "k", "--namespace", "a", "--namespace", "b", "--port", "80",
                             "--status-port", "0", "--lease-time-s", "3", "--drain-grace-ms", "0"},
                            {{"POD_NAME", "pod"}, {"POD_NAMESPACE", "own"}});
  ASSERT_FALSE(parsed.exit_status.has_value());
  ASSERT_TRUE(parsed.cluster.has_value());
  EXPECT_EQ(parsed.cluster->access.kubeconfig, "k");
  EXPECT_THAT(parsed.cluster->namespaces, ::testing::ElementsAre("a", "b"));
  EXPECT_EQ(parsed.cluster->own_namespace, "own");
  EXPECT_EQ(parsed.cluster->identity, "pod");
  EXPECT_EQ(parsed.cluster->own_service, "inferd-gateway");
  EXPECT_EQ(parsed.cluster->port, 80);
  EXPECT_EQ(parsed.cluster->status_port, 0);
  EXPECT_EQ(parsed.cluster->lease_time, std::chrono::seconds(3));
  EXPECT_EQ(parsed.cluster->drain_grace, std::chrono::milliseconds(0));

  const auto bare = Parse({"--cluster"});
  ASSERT_TRUE(bare.cluster.has_value());
  EXPECT_EQ(bare.cluster->own_namespace, "kserve");
  EXPECT_FALSE(bare.cluster->identity.empty());
  EXPECT_EQ(Parse({"--cluster", "--gateway-namespace", "x"}, {{"POD_NAMESPACE", "own"}}).cluster->own_namespace, "x");
}

TEST(GatewayCommandLineTest, WhatIsWrongEndsTheProgram) {
  EXPECT_EQ(Parse({}).exit_status, kExitUsage);
  EXPECT_EQ(Parse({"--graph-json", "{}", "--graph-file", "x"}).exit_status, kExitUsage);
  EXPECT_EQ(Parse({"--graph-file", "/nowhere/graph.json"}).exit_status, kExitUsage);
  EXPECT_EQ(Parse({"--graph-json", "{}", "--port", "70000"}).exit_status, kExitUsage);
  EXPECT_EQ(Parse({"--graph-json", "{}", "--cluster"}).exit_status, kExitUsage);
  EXPECT_EQ(Parse({"--graph-json", "{}", "--context", "c"}).exit_status, kExitUsage);
  EXPECT_EQ(Parse({"--cluster", "--lease-time-s", "1"}).exit_status, kExitUsage);
  EXPECT_EQ(Parse({"--help"}).exit_status, 0);
}

}  // namespace
}  // namespace inferd::clustergateway
