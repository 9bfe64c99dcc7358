#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "bench/harness/loads.h"
#include "bench/harness/programs.h"
#include "bench/harness/target.h"

namespace inferd::bench {

// What is measured. The servers are started with the models of both.
struct SharedMemoryCase {
  std::string small;  // called as ever
  std::string large;  // one FP32 input INPUT0 of [1, elements] and an output OUTPUT0 of the same size
  int64_t elements = 0;
  std::vector<Wire> wires;  // kBinary, kGrpc
  std::vector<size_t> connections;
  Timing timing;
};

// Prints what it costs that tensors lie in shared memory of clients: calls of the small model, of the large one with
// its tensors in shared memory, and with them in bodies, in turns, and what each costs above the time that its engine
// computes, as the server's statistics have it of the same calls.
base::Status PrintSharedMemoryTable(const Programs::Options& programs, const SharedMemoryCase& what);

}  // namespace inferd::bench
