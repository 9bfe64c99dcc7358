#include "config/model/instances.h"

#include <string>

namespace inferd::config {

std::vector<Instance> ExpandInstances(const ModelConfig& config) {
  std::vector<Instance> instances;
  for (size_t number = 0; number < config.instance_groups.size(); ++number) {
    const InstanceGroup& group = config.instance_groups[number];
    const InstanceKind kind = group.kind == InstanceKind::kAuto ? InstanceKind::kCpu : group.kind;
    const auto add = [&](int32_t device) {
      for (int i = 0; i < group.count; ++i) {
        instances.push_back({.group = static_cast<int>(number), .kind = kind, .device = device, .number = i});
      }
    };
    if (group.kind != InstanceKind::kGpu || group.gpus.empty()) {
      add(0);
    } else {
      for (const int32_t gpu : group.gpus) add(gpu);
    }
  }
  return instances;
}

std::string InstanceName(const ModelConfig& config, const Instance& instance) {
  const std::string& group = config.instance_groups[instance.group].name;
  return (group == config.name ? group + "_0" : group) + "_" + std::to_string(instance.number);
}

base::Status CheckGpus(const ModelConfig& config, int gpu_count) {
  for (const Instance& instance : ExpandInstances(config)) {
    if (instance.kind != InstanceKind::kGpu || (instance.device >= 0 && instance.device < gpu_count)) continue;
    const std::string subject =
        "instance group " + config.instance_groups[instance.group].name + " of model " + config.name;
    if (gpu_count == 0) {
      return base::FailedPrecondition(subject + " has kind KIND_GPU but server does not support GPUs");
    }
    return base::FailedPrecondition(subject + " specifies invalid or unsupported gpu id " +
                                    std::to_string(instance.device) + "; the model's engine has " +
                                    std::to_string(gpu_count));
  }
  return base::OkStatus();
}

}  // namespace inferd::config
