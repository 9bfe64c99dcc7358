#include "serving/scheduling/resources/host_policies.h"

#include <algorithm>
#include <string>

namespace inferd::scheduling {

namespace {

// Returns Triton's name of the default policy of a kind.
std::string DefaultPolicy(config::InstanceKind kind, int32_t device) {
  switch (kind) {
    case config::InstanceKind::kGpu: return "gpu_" + std::to_string(device);
    case config::InstanceKind::kModel: return "model";
    case config::InstanceKind::kAuto:
    case config::InstanceKind::kCpu: return "cpu";
  }
  return "cpu";
}

base::CpuCores Common(const base::CpuCores& a, const base::CpuCores& b) {
  base::CpuCores common;
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  return common;
}

base::CpuCores Union(const base::CpuCores& a, const base::CpuCores& b) {
  base::CpuCores both;
  std::ranges::set_union(a, b, std::back_inserter(both));
  return both;
}

}  // namespace

HostPolicies::HostPolicies(std::vector<config::HostPolicy> policies, std::filesystem::path numa_nodes)
    : policies_(std::move(policies)), numa_nodes_(std::move(numa_nodes)), allowed_(base::ThreadCpuCores()) {}

base::Result<base::CpuCores> HostPolicies::CoresOf(const config::HostPolicy& policy) const {
  base::CpuCores cores = policy.cpu_cores;
  std::ranges::sort(cores);
  if (Common(cores, allowed_) != cores) {
    return std::unexpected(base::FailedPrecondition("not all of cores " + base::FormatCpuCores(cores) +
                                                    " are there: this process has " + base::FormatCpuCores(allowed_)));
  }
  if (policy.numa_node < 0) return cores;
  const auto node = base::NumaNodeCores(policy.numa_node, numa_nodes_);
  if (!node.has_value()) return std::unexpected(base::FailedPrecondition(node.error().message()));
  cores = Common(*node, cores.empty() ? allowed_ : cores);
  if (!cores.empty()) return cores;
  return std::unexpected(base::FailedPrecondition("NUMA node " + std::to_string(policy.numa_node) + " has cores " +
                                                  base::FormatCpuCores(*node) + ", none of which it may run on"));
}

base::Result<base::CpuCores> HostPolicies::CoresFor(const config::InstanceGroup& group, int32_t device) const {
  const std::string name = group.host_policy.empty() ? DefaultPolicy(group.kind, device) : group.host_policy;
  const auto policy = std::ranges::find(policies_, name, &config::HostPolicy::name);
  if (policy != policies_.end()) {
    auto cores = CoresOf(*policy);
    if (!cores.has_value()) return std::unexpected(cores.error().WithContext("host policy '" + name + "'"));
    return cores;
  }
  if (group.host_policy.empty()) return base::CpuCores();
  return std::unexpected(base::InvalidArgument("instance group '" + group.name + "' has the host policy '" + name +
                                               "', which this server does not have: see --host-policy"));
}

base::Result<std::vector<base::CpuCores>> HostPolicies::GroupCores(const config::ModelConfig& config) const {
  std::vector<base::CpuCores> of_groups;
  for (const config::InstanceGroup& group : config.instance_groups) {
    INFERD_ASSIGN_OR_RETURN(base::CpuCores cores, CoresFor(group, group.gpus.empty() ? 0 : group.gpus[0]));
    for (const int32_t device : group.gpus) {
      INFERD_ASSIGN_OR_RETURN(const base::CpuCores others, CoresFor(group, device));
      cores = cores.empty() || others.empty() ? base::CpuCores() : Union(cores, others);
    }
    of_groups.push_back(std::move(cores));
  }
  return of_groups;
}

}  // namespace inferd::scheduling
