#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "config/model/model_config.h"

namespace inferd::config {

// One instance that a model's configuration asks for; its place in ExpandInstances() is its ordinal.
struct Instance {
  int group = 0;                           // position among the configuration's instance groups
  InstanceKind kind = InstanceKind::kCpu;  // never kAuto: that is a CPU
  int32_t device = 0;  // of GPU groups, the one it is on; on a CPU the resources of device 0 are its own, as in Triton
};

// All of them: `count` for each group, or, of a GPU group that names some, on each of these. None: the configuration
// has no groups.
std::vector<Instance> ExpandInstances(const ModelConfig& config);

// FAILED_PRECONDITION: an instance group is on a GPU, and the engine that runs the model has none of that number.
base::Status CheckGpus(const ModelConfig& config, int gpu_count);

}  // namespace inferd::config
