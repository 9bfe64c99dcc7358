#pragma once

#include <atomic>
#include <cstdint>

namespace inferd::worker {

// How one process wakes the other: a counter in their shared memory. One side rings, at most one thread waits. A
// ring costs a system call only if that thread sleeps.
//
// Lies in shared memory as it is: begins as zeros, and has no constructor or destructor to run.
struct Doorbell {
  std::atomic<uint32_t> rung;     // how often, modulo 2^32
  std::atomic<uint32_t> waiting;  // 1: a thread sleeps, or is about to

  // What was written before is seen by the thread that sees the new count.
  void Ring();

  // The same, but lets the sleeper sleep on: Ring() follows soon, or it does not matter.
  void Count() { rung.fetch_add(1, std::memory_order_seq_cst); }

  // Returns once `rung` is not `seen` any more, after `timeout_ns`, or for no reason.
  void Wait(uint32_t seen, int64_t timeout_ns);
};

static_assert(std::atomic<uint32_t>::is_always_lock_free);

}  // namespace inferd::worker
