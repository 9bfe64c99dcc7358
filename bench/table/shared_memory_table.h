#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "bench/harness/loads.h"
#include "bench/harness/programs.h"
#include "bench/harness/target.h"

namespace inferd::bench {

// The measured models. The server is started with both.
struct SharedMemoryCase {
  std::string small;  // called with tensors in bodies
  std::string large;  // one FP32 input INPUT0 of [1, elements] and an output OUTPUT0 of the same size
  int64_t elements = 0;
  std::vector<Wire> wires;  // kBinary, kGrpc
  std::vector<size_t> connections;
  Timing timing;
};

// Prints the cost of tensors in clients' shared memory. Calls the small model, the large model with tensors in shared
// memory, and the large model with tensors in bodies, in turns. Prints the cost of each above its engine's compute
// time, which comes from the server's statistics of the same calls.
base::Status PrintSharedMemoryTable(const Programs::Options& programs, const SharedMemoryCase& what);

}  // namespace inferd::bench
