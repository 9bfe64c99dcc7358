#pragma once

#include <memory>
#include <vector>

#include "base/system/cpu_cores.h"
#include "config/model/model_config.h"
#include "serving/scheduling/resources/host_policies.h"
#include "serving/scheduling/resources/resource_arbiter.h"

namespace inferd::scheduling {

// What one instance of a version has to itself, beside the engine's: its claim on what all share, and where its thread
// runs.
struct InstancePlace {
  std::unique_ptr<ResourceArbiter::Claim> claim;
  // The instance's thread calls base::PinThread(cores) first of all, unless there are none: it runs anywhere then.
  // One that has cores never executes on a thread that is not its own.
  base::CpuCores cores;
};

// Of `count` instances, by ordinal. `compute_threads`: EngineModel::compute_threads(). The errors of
// ResourceArbiter::Register and HostPolicies::CoresFor: the version cannot be loaded.
base::Result<std::vector<InstancePlace>> PlaceInstances(const config::ModelConfig& config, int compute_threads,
                                                        size_t count, const HostPolicies& policies,
                                                        ResourceArbiter& arbiter);

}  // namespace inferd::scheduling
