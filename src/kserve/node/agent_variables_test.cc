#include "kserve/node/agent_variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::node {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

model::ResolvedPod Pod() {
  model::ResolvedPod pod;
  pod.namespace_name = "ns";
  pod.labels = {{"serving.kserve.io/inferenceservice", "iris"}, {"component", "predictor"}};
  return pod;
}

TEST(AgentVariablesTest, NothingIsAskedFor) {
  model::ResolvedPod pod = Pod();
  EXPECT_THAT(AgentVariables(pod), IsEmpty());
  pod.extension.batcher.emplace();
  EXPECT_THAT(AgentVariables(pod), IsEmpty());
}

TEST(AgentVariablesTest, ALoggerIsThePayloadLog) {
  model::ResolvedPod pod = Pod();
  pod.extension.logger = {.url = "http://sink/", .mode = "request"};
  EXPECT_THAT(AgentVariables(pod),
              ElementsAre("INFERD_PAYLOAD_LOG_URL=http://sink/", "INFERD_PAYLOAD_LOG_MODE=request",
                          "INFERD_PAYLOAD_LOG_INFERENCE_SERVICE=iris", "INFERD_PAYLOAD_LOG_NAMESPACE=ns",
                          "INFERD_PAYLOAD_LOG_COMPONENT=predictor"));
}

TEST(AgentVariablesTest, ABatcherIsTheServersOwn) {
  model::ResolvedPod pod = Pod();
  pod.extension.batcher = {.max_batch_size = 16, .max_latency_ms = 5, .timeout_s = 60};
  EXPECT_THAT(AgentVariables(pod),
              ElementsAre("INFERD_DEFAULT_MAX_BATCH_SIZE=16", "INFERD_DEFAULT_BATCH_DELAY_US=5000"));
}

}  // namespace
}  // namespace inferd::node
