#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace inferd::config {

// Where the threads of instances run (Triton's --host-policy NAME,SETTING=VALUE). An instance group names its policy;
// one that names none has the policy "cpu", "gpu_<device>" or "model" of its kind, if there is one.
struct HostPolicy {
  std::string name;
  std::vector<int> cpu_cores = {};  // cpu-cores=0-3; empty: all
  int numa_node = -1;               // numa-node=1: the cores of that node; -1: any
};

// How much of a resource there is (Triton's --rate-limit-resource NAME:COUNT[:DEVICE]).
struct ResourceLimit {
  std::string name;
  int32_t device = -1;  // -1: the global one, and that of every device that is not given a count of its own
  uint32_t count = 0;
};

// What all instances of all models share. Plain data; part of ServerOptions.
struct ResourceOptions {
  bool rate_limit = true;  // off: the resources that instance groups name are without effect (Triton's default)
  std::vector<ResourceLimit> limits = {};
  std::vector<HostPolicy> host_policies = {};  // of different names
};

}  // namespace inferd::config
