#pragma once

#include <cstdint>

namespace inferd::scheduling {

// What the calling thread has had of a core. Two system calls: not for every request.
struct ThreadUsage {
  int64_t cpu_ns = 0;
  int64_t waits = 0;  // how often it gave up its core by itself: for a lock, for I/O, to sleep

  static ThreadUsage Now();
};

// How long what ran since `before` is to blame for, of the `elapsed_ns` by the clock: a thread that did not wait by
// itself has lost its core to others for the rest.
int64_t BlamedNs(int64_t elapsed_ns, const ThreadUsage& before, const ThreadUsage& after);

}  // namespace inferd::scheduling
