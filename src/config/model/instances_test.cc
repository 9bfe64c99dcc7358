#include "config/model/instances.h"

#include <gtest/gtest.h>

namespace inferd::config {
namespace {

TEST(InstancesTest, EachGroupHasItsCountOnEachOfItsDevices) {
  ModelConfig config;
  EXPECT_TRUE(ExpandInstances(config).empty());
  config.instance_groups.resize(3);
  config.instance_groups[0].count = 2;
  config.instance_groups[1].kind = InstanceKind::kGpu;
  config.instance_groups[1].gpus = {3, 1};
  config.instance_groups[1].count = 2;
  config.instance_groups[2].count = 1;
  config.instance_groups[2].gpus = {0, 1};  // no effect on a CPU
  std::string text;
  for (const Instance& instance : ExpandInstances(config)) {
    text += std::to_string(instance.group) + "@" + std::to_string(instance.device) + " ";
  }
  EXPECT_EQ(text, "0@0 0@0 1@3 1@3 1@1 1@1 2@0 ");
  EXPECT_EQ(ExpandInstances(config)[0].kind, InstanceKind::kCpu) << "automatic is the CPU";
  EXPECT_EQ(ExpandInstances(config)[2].kind, InstanceKind::kGpu);
}

TEST(InstancesTest, InstancesAreCalledAsInTriton) {
  ModelConfig config;
  config.name = "m";
  config.instance_groups.resize(2);
  config.instance_groups[0] = {.name = "m", .kind = InstanceKind::kCpu, .count = 2, .gpus = {}};
  config.instance_groups[1] = {.name = "fast", .kind = InstanceKind::kGpu, .count = 2, .gpus = {1, 0}};
  std::string text;
  for (const Instance& instance : ExpandInstances(config)) text += InstanceName(config, instance) + " ";
  EXPECT_EQ(text, "m_0_0 m_0_1 fast_0 fast_1 fast_0 fast_1 ");
}

TEST(InstancesTest, GroupsAreOnGpusThatThereAre) {
  ModelConfig config;
  config.name = "m";
  EXPECT_TRUE(CheckGpus(config, 0).ok());
  config.instance_groups.resize(2);
  config.instance_groups[1].name = "g";
  EXPECT_TRUE(CheckGpus(config, 0).ok());
  config.instance_groups[1].kind = InstanceKind::kGpu;
  EXPECT_EQ(CheckGpus(config, 0),
            base::FailedPrecondition("instance group g of model m has kind KIND_GPU but server does not support GPUs"));
  EXPECT_TRUE(CheckGpus(config, 1).ok());
  config.instance_groups[1].gpus = {0, 2};
  EXPECT_EQ(CheckGpus(config, 2),
            base::FailedPrecondition("instance group g of model m specifies invalid or unsupported gpu id 2; the "
                                     "model's engine has 2"));
  EXPECT_TRUE(CheckGpus(config, 3).ok());
}

}  // namespace
}  // namespace inferd::config
