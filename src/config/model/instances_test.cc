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
  config.instance_groups[2].gpus = {0, 1};  // without effect on a CPU
  std::string text;
  for (const Instance& instance : ExpandInstances(config)) {
    text += std::to_string(instance.group) + "@" + std::to_string(instance.device) + " ";
  }
  EXPECT_EQ(text, "0@0 0@0 1@3 1@3 1@1 1@1 2@0 ");
}

}  // namespace
}  // namespace inferd::config
