#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace inferd::config {

// The placement of instances' threads (Triton's --host-policy NAME,SETTING=VALUE). An instance group names its policy.
// A group without one has the policy "cpu", "gpu_<device>" or "model" of its kind, if it exists.
struct HostPolicy {
  std::string name;
  std::vector<int> cpu_cores = {};  // cpu-cores=0-3; empty for all
  int numa_node = -1;               // numa-node=1: the cores of that node; -1 for any
};

// The amount of a resource (Triton's --rate-limit-resource NAME:COUNT[:DEVICE]).
struct ResourceLimit {
  std::string name;
  int32_t device = -1;  // -1 for the global one, and for every device without a count of its own
  uint32_t count = 0;
};

// Resources that all instances of all models share. Plain data; part of ServerOptions.
struct ResourceOptions {
  bool rate_limit = true;  // if false, resources of instance groups have no effect (Triton's default)
  std::vector<ResourceLimit> limits = {};
  std::vector<HostPolicy> host_policies = {};  // with different names
};

}  // namespace inferd::config
