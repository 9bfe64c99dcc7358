#pragma once

#include <cstdint>
#include <vector>

#include "config/model/model_config.h"

namespace inferd::config {

// One instance that a model's configuration asks for; its place in ExpandInstances() is its ordinal.
struct Instance {
  int group = 0;       // position among the configuration's instance groups
  int32_t device = 0;  // of GPU groups, the one it is on; on a CPU the resources of device 0 are its own, as in Triton
};

// All of them: `count` for each group, or, of a GPU group that names some, on each of these. None: the configuration
// has no groups.
std::vector<Instance> ExpandInstances(const ModelConfig& config);

}  // namespace inferd::config
