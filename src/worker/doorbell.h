#pragma once

#include <atomic>
#include <cstdint>

namespace inferd::worker {

// How one process wakes the other: a counter in their shared memory. One side rings, at most one thread waits. Whoever
// rings pays for a system call only if somebody sleeps.
//
// Lies in shared memory as it is: begins as zeros, and has no constructor or destructor to run.
struct Doorbell {
  std::atomic<uint32_t> rung;     // how often, modulo 2^32
  std::atomic<uint32_t> waiting;  // 1: somebody sleeps, or is about to

  // What was written before is seen by whoever sees the new count.
  void Ring();

  // The same, but lets who sleeps sleep on: Ring() follows soon, or nobody minds.
  void Count() { rung.fetch_add(1, std::memory_order_seq_cst); }

  // Returns once `rung` is not `seen` any more, after `timeout_ns`, or for no reason.
  void Wait(uint32_t seen, int64_t timeout_ns);
};

static_assert(std::atomic<uint32_t>::is_always_lock_free);

}  // namespace inferd::worker
