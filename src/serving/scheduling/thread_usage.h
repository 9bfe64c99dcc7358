#pragma once

#include <cstdint>

namespace inferd::scheduling {

// The CPU usage of the calling thread so far. Costs two system calls, so do not measure every request.
struct ThreadUsage {
  int64_t cpu_ns = 0;
  int64_t waits = 0;  // how often it gave up its core itself: for a lock, for I/O, to sleep

  static ThreadUsage Now();
};

// Returns the part of `elapsed_ns` that the code which ran since `before` is to blame for. A thread that did not wait
// itself has lost its core to others for the rest of the time.
int64_t BlamedNs(int64_t elapsed_ns, const ThreadUsage& before, const ThreadUsage& after);

}  // namespace inferd::scheduling
