#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace inferd::agent {

struct BatchOptions {
  size_t instances_max = 32;                     // of a batch; a request with more goes alone
  std::chrono::milliseconds latency_max{5'000};  // that a request waits for others
  uint64_t bytes_max = uint64_t{64} << 20;       // of a batch's instances
  // Requests that the agent holds, those under way to the component included. Further ones are refused.
  size_t requests_max = 4096;
  uint64_t body_bytes_max = uint64_t{256} << 20;  // of their bodies
  // Batches under way to the component, each on a connection of its own. Further ones wait.
  size_t batches_max = 64;
  uint64_t answer_bytes_max = uint64_t{1} << 30;  // of all answers that are not whole yet
  // For the component to answer, from when the batch is complete. A request that is repeated alone has it once more.
  std::chrono::milliseconds timeout{300'000};
};

}  // namespace inferd::agent
