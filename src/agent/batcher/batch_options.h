#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace inferd::agent {

struct BatchOptions {
  size_t instances_max = 32;                     // of a batch; a request with more goes alone
  std::chrono::milliseconds latency_max{5'000};  // that a request waits for others
  uint64_t bytes_max = uint64_t{64} << 20;       // of a batch's instances
  size_t waiting_max = 4096;                     // requests that wait for others; then they go
  std::chrono::milliseconds timeout{300'000};    // for the component to answer
};

}  // namespace inferd::agent
