#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/manifest/value.h"

namespace inferd::node {

// The limits and requests of a container (Kubernetes: resources). A value.
struct ContainerResources {
  std::optional<int64_t> memory_limit_bytes = {};
  std::optional<int64_t> cpu_limit_milli = {};  // 1500 is one and a half CPUs
  std::optional<int64_t> cpu_request_milli = {};
  std::vector<std::string> other_limits = {};  // "nvidia.com/gpu": limits that cannot be enforced here

  bool has_limits() const { return memory_limit_bytes.has_value() || cpu_limit_milli.has_value(); }
};

// Reads `resources` of a container. Invalid quantities are ignored. A CPU limit is also the request, unless there is a
// request (Kubernetes: defaults). Thread-safe.
ContainerResources ReadResources(const manifest::Value& container);

}  // namespace inferd::node
