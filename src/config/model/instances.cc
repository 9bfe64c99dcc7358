#include "config/model/instances.h"

namespace inferd::config {

std::vector<Instance> ExpandInstances(const ModelConfig& config) {
  std::vector<Instance> instances;
  for (size_t number = 0; number < config.instance_groups.size(); ++number) {
    const InstanceGroup& group = config.instance_groups[number];
    const auto add = [&](int32_t device) {
      for (int i = 0; i < group.count; ++i) instances.push_back({.group = static_cast<int>(number), .device = device});
    };
    if (group.kind != InstanceKind::kGpu || group.gpus.empty()) {
      add(0);
    } else {
      for (const int32_t gpu : group.gpus) add(gpu);
    }
  }
  return instances;
}

}  // namespace inferd::config
