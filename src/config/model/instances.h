#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "config/model/model_config.h"

namespace inferd::config {

// The GPUs that instances of an engine's models may be on, numbered from 0.
struct EngineGpus {
  int count = 0;
  bool preferred = false;  // what the configuration leaves open is on them, else on the CPU
};
using GpusByEngine = std::map<std::string, EngineGpus, std::less<>>;

// One instance that a model's configuration asks for; its place in ExpandInstances() is its ordinal.
struct Instance {
  int group = 0;                           // position among the configuration's instance groups
  InstanceKind kind = InstanceKind::kCpu;  // never kAuto: that is a CPU
  int32_t device = 0;  // of GPU groups, the one it is on; on a CPU the resources of device 0 are its own, as in Triton
  int number = 0;      // among those of its group and its device
};

// All of them: `count` for each group, or, of a GPU group that names some, on each of these. None: the configuration
// has no groups.
std::vector<Instance> ExpandInstances(const ModelConfig& config);

// As Triton calls it: "<group>_<number>", the same on each of a group's GPUs. The group that is made where the
// configuration has none counts as "<model>_0".
std::string InstanceName(const ModelConfig& config, const Instance& instance);

// FAILED_PRECONDITION: an instance group is on a GPU, and the engine that runs the model has none of that number.
base::Status CheckGpus(const ModelConfig& config, int gpu_count);

}  // namespace inferd::config
