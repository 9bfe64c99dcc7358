#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/manifest/value.h"

namespace inferd::node {

// What a container may use, and what it wants (Kubernetes: resources). A value.
struct ContainerResources {
  std::optional<int64_t> memory_limit_bytes = {};
  std::optional<int64_t> cpu_limit_milli = {};  // 1500: one and a half CPUs
  std::optional<int64_t> cpu_request_milli = {};
  std::vector<std::string> other_limits = {};  // "nvidia.com/gpu": those that nothing here can hold

  bool has_limits() const { return memory_limit_bytes.has_value() || cpu_limit_milli.has_value(); }
};

// `resources` of a container whose quantities are valid; others count as not given. A CPU limit is a request, too,
// where there is no other (Kubernetes: defaults). Thread-safe.
ContainerResources ReadResources(const manifest::Value& container);

}  // namespace inferd::node
