#pragma once

#include <memory>
#include <vector>

#include "base/system/cpu_cores.h"
#include "config/model/model_config.h"
#include "serving/scheduling/resources/host_policies.h"
#include "serving/scheduling/resources/resource_arbiter.h"

namespace inferd::scheduling {

// One instance's claim on shared resources, and the cores of its thread.
struct InstancePlace {
  std::unique_ptr<ResourceArbiter::Claim> claim;
  // The instance's thread first calls base::PinThread(cores). If empty, it may run on any core. An instance with cores
  // only executes on its own thread.
  base::CpuCores cores;
};

// Returns the places of `count` instances, by ordinal. `compute_threads` is EngineModel::compute_threads(). Errors are
// those of ResourceArbiter::Register and HostPolicies::CoresFor: the version then cannot be loaded.
base::Result<std::vector<InstancePlace>> PlaceInstances(const config::ModelConfig& config, int compute_threads,
                                                        size_t count, const HostPolicies& policies,
                                                        ResourceArbiter& arbiter);

}  // namespace inferd::scheduling
