#include "kserve/node/agent_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::node {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

model::ResolvedPod LoggedPod() {
  model::ResolvedPod pod;
  pod.namespace_name = "ns";
  pod.labels = {{"serving.kserve.io/inferenceservice", "iris"}, {"component", "predictor"}};
  pod.extension.logger = {.url = "http://sink/", .mode = "request"};
  return pod;
}

ProcessSpec Program(const std::string& program) {
  ProcessSpec spec;
  spec.program = program;
  spec.arguments = {"--http_port", "8081"};
  spec.port = 8081;
  spec.grpc_port = 8081;
  return spec;
}

base::Result<uint16_t> NextPort() { return uint16_t{9081}; }

TEST(AgentProcessTest, WhatInferdDoesItselfNeedsNoAgent) {
  EXPECT_TRUE(WantsAgent(LoggedPod(), Program("/usr/bin/python3")));
  EXPECT_FALSE(WantsAgent(LoggedPod(), Program("/usr/bin/inferd")));
  model::ResolvedPod pod = LoggedPod();
  pod.extension.logger->url.reset();
  EXPECT_FALSE(WantsAgent(pod, Program("/usr/bin/python3")));
  pod.extension.batcher.emplace();
  EXPECT_TRUE(WantsAgent(pod, Program("/usr/bin/python3")));
}

TEST(AgentProcessTest, TheAgentStartsTheProgramAndTakesItsRequests) {
  const auto spec = BehindAgent(Program("/usr/bin/python3"), LoggedPod(), "/bin/inferd-agent", NextPort);
  ASSERT_TRUE(spec.has_value());
  EXPECT_EQ(spec->program, "/bin/inferd-agent");
  EXPECT_THAT(spec->arguments,
              ElementsAre("--address", "127.0.0.1", "--port", "9081", "--component-port", "8081", "--metrics-port", "0",
                          "--drain-grace-ms", "0", "--log-url", "http://sink/", "--namespace", "ns",
                          "--inference-service", "iris", "--component", "predictor", "--log-mode", "request", "--",
                          "/usr/bin/python3", "--http_port", "8081"));
  EXPECT_EQ(spec->port, 9081);
  EXPECT_EQ(spec->grpc_port, 9081);
}

TEST(AgentProcessTest, ABatcherAndATimeoutAreTheAgents) {
  model::ResolvedPod pod = LoggedPod();
  pod.extension.logger.reset();
  pod.extension.batcher = {.max_batch_size = 16, .max_latency_ms = 5, .timeout_s = 60};
  pod.extension.timeout_s = 20;
  ProcessSpec program = Program("python3");
  program.grpc_port = 9000;
  const auto spec = BehindAgent(program, pod, "inferd-agent", NextPort);
  ASSERT_TRUE(spec.has_value());
  for (const char* word : {"--enable-batcher", "--max-batchsize", "16", "--max-latency", "5"}) {
    EXPECT_THAT(spec->arguments, Contains(word));
  }
  EXPECT_THAT(spec->environment, ElementsAre("REVISION_TIMEOUT_SECONDS=20"));
  EXPECT_EQ(spec->grpc_port, 9000);
}

}  // namespace
}  // namespace inferd::node
