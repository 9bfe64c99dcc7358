#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "config/model/model_config.h"

namespace inferd::config {

// The GPUs on which instances of an engine's models may run, numbered from 0.
struct EngineGpus {
  int count = 0;
  bool preferred = false;          // true if unspecified groups run on GPUs, else on the CPU
  std::string_view why_none = {};  // the engine's reason if `count` is 0; lives as long as the engine
};
using GpusByEngine = std::map<std::string, EngineGpus, std::less<>>;

// One instance that a model's configuration requests. Its position in ExpandInstances() is its ordinal.
struct Instance {
  int group = 0;                           // index of its instance group in the configuration
  InstanceKind kind = InstanceKind::kCpu;  // never kAuto, which becomes a CPU
  int32_t device = 0;  // in a GPU group, its GPU; on a CPU, the resources of device 0 apply, as in Triton
  int number = 0;      // within its group and its device
};

// Returns all instances: `count` for each group or, if a GPU group names GPUs, for each of them. Empty if the
// configuration has no groups.
std::vector<Instance> ExpandInstances(const ModelConfig& config);

// Returns Triton's name, "<group>_<number>", which is the same on each of a group's GPUs. The group that is added to a
// configuration without groups counts as "<model>_0".
std::string InstanceName(const ModelConfig& config, const Instance& instance);

// FAILED_PRECONDITION if an instance group is on a GPU whose number the engine does not have.
base::Status CheckGpus(const ModelConfig& config, int gpu_count);

}  // namespace inferd::config
