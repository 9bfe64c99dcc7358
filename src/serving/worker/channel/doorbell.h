#pragma once

#include <atomic>
#include <cstdint>

namespace inferd::worker {

// Wakes the other process: a counter in shared memory. One side rings, and at most one thread of the other side waits.
// A ring costs a system call only if that thread sleeps.
//
// Placed directly in shared memory: starts as zeros, and has no constructor or destructor.
struct Doorbell {
  std::atomic<uint32_t> rung;     // number of rings, modulo 2^32
  std::atomic<uint32_t> waiting;  // 1 while a thread sleeps or is about to

  // A thread that sees the new count also sees all earlier writes.
  void Ring();

  // Counts without waking the sleeper: for when Ring() follows soon, or the delay does not matter.
  void Count() { rung.fetch_add(1, std::memory_order_seq_cst); }

  // Returns when `rung` differs from `seen`, after `timeout_ns`, or spuriously.
  void Wait(uint32_t seen, int64_t timeout_ns);
};

static_assert(std::atomic<uint32_t>::is_always_lock_free);

}  // namespace inferd::worker
