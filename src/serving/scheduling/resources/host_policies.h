#pragma once

#include <filesystem>
#include <vector>

#include "base/status.h"
#include "base/system/cpu_cores.h"
#include "config/model/model_config.h"
#include "config/options/resource_options.h"

namespace inferd::scheduling {

// The server's host policies on this machine: the cores on which threads of instances may run. Immutable, so
// thread-safe.
class HostPolicies final {
 public:
  // The cores in `policies` must be among those that the calling thread may run on.
  explicit HostPolicies(std::vector<config::HostPolicy> policies = {},
                        std::filesystem::path numa_nodes = "/sys/devices/system/node");

  // Returns the cores for an instance of `group` on `device`. Empty means any. A group without a policy uses that of
  // its kind, if there is one. Errors name the policy. INVALID_ARGUMENT if the server has no policy of that name.
  // FAILED_PRECONDITION if the machine lacks the cores or the NUMA node, or this process may not use them.
  base::Result<base::CpuCores> CoresFor(const config::InstanceGroup& group, int32_t device) const;
  // Returns the cores of each of the model's groups, over all of its devices (core::GroupCoresFinder). Empty means any.
  base::Result<std::vector<base::CpuCores>> GroupCores(const config::ModelConfig& config) const;
  // Returns the cores that this process could use when this object was made.
  const base::CpuCores& allowed() const { return allowed_; }

 private:
  base::Result<base::CpuCores> CoresOf(const config::HostPolicy& policy) const;

  const std::vector<config::HostPolicy> policies_;
  const std::filesystem::path numa_nodes_;
  const base::CpuCores allowed_;
};

}  // namespace inferd::scheduling
