#pragma once

#include <filesystem>
#include <vector>

#include "base/status.h"
#include "base/system/cpu_cores.h"
#include "config/model/model_config.h"
#include "config/options/resource_options.h"

namespace inferd::scheduling {

// Where the threads of instances may run: the server's host policies on the machine that it runs on. Immutable, so
// thread-safe.
class HostPolicies final {
 public:
  // What `policies` name is looked for among the cores that the calling thread may run on.
  explicit HostPolicies(std::vector<config::HostPolicy> policies = {},
                        std::filesystem::path numa_nodes = "/sys/devices/system/node");

  // Of an instance of `group` on `device`; empty: any. A group that names no policy has its kind's, if there is one.
  // Errors name the policy. INVALID_ARGUMENT: the server has none of that name. FAILED_PRECONDITION: this machine does
  // not have, or does not give to this process, the cores or the NUMA node.
  base::Result<base::CpuCores> CoresFor(const config::InstanceGroup& group, int32_t device) const;
  // Of each of the model's groups, on whatever device (core::GroupCoresFinder); empty: any.
  base::Result<std::vector<base::CpuCores>> GroupCores(const config::ModelConfig& config) const;
  // All that this process had when this was made.
  const base::CpuCores& allowed() const { return allowed_; }

 private:
  base::Result<base::CpuCores> CoresOf(const config::HostPolicy& policy) const;

  const std::vector<config::HostPolicy> policies_;
  const std::filesystem::path numa_nodes_;
  const base::CpuCores allowed_;
};

}  // namespace inferd::scheduling
