#include "kserve/node/resources/container_resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/manifest/read.h"

namespace inferd::node {
namespace {

ContainerResources ResourcesOf(std::string_view yaml) {
  return ReadResources(manifest::ReadYaml(yaml, "container.yaml").value().front());
}

TEST(ContainerResources, AreReadAsKubernetesReadsThem) {
  struct Case {
    const char* yaml;
    int64_t memory, cpu, request;  // 0 for none
    std::vector<std::string> others;
  };
  const std::vector<Case> cases = {
      {"{}", 0, 0, 0, {}},
      {"{resources: {}}", 0, 0, 0, {}},
      {"{resources: {limits: {memory: 1Gi}}}", 1 << 30, 0, 0, {}},
      {"{resources: {limits: {cpu: 1500m, memory: 1k}}}", 1000, 1500, 1500, {}},
      {"{resources: {limits: {cpu: 2}, requests: {cpu: 100m, memory: 1}}}", 0, 2000, 100, {}},
      {"{resources: {requests: {cpu: '1'}}}", 0, 0, 1000, {}},
      {"{resources: {limits: {nvidia.com/gpu: 1, ephemeral-storage: 1Gi}}}",
       0,
       0,
       0,
       {"nvidia.com/gpu", "ephemeral-storage"}},
      {"{resources: {limits: {cpu: much, memory: 0}}}", 0, 0, 0, {}},
  };
  for (const Case& each : cases) {
    const ContainerResources read = ResourcesOf(each.yaml);
    EXPECT_EQ(read.memory_limit_bytes.value_or(0), each.memory) << each.yaml;
    EXPECT_EQ(read.cpu_limit_milli.value_or(0), each.cpu) << each.yaml;
    EXPECT_EQ(read.cpu_request_milli.value_or(0), each.request) << each.yaml;
    EXPECT_EQ(read.other_limits, each.others) << each.yaml;
  }
}

}  // namespace
}  // namespace inferd::node
