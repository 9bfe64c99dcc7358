#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace inferd::agent {

struct BatchOptions {
  size_t instances_max = 32;                     // rows per batch; a larger request is sent alone
  std::chrono::milliseconds latency_max{5'000};  // how long a request waits for others
  uint64_t bytes_max = uint64_t{64} << 20;       // of a batch's rows
  // Limit of requests that the agent holds, including those in flight to the component. Further ones are refused.
  size_t requests_max = 4096;
  uint64_t body_bytes_max = uint64_t{256} << 20;  // of the bodies of these requests
  // Limit of batches in flight to the component, each on a connection of its own. Further ones wait.
  size_t batches_max = 64;
  uint64_t answer_bytes_max = uint64_t{1} << 30;  // of all incomplete responses
  // Time for the component's response, from when the batch is complete. A request that is repeated alone gets it again.
  std::chrono::milliseconds timeout{300'000};
};

}  // namespace inferd::agent
