#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/executor.h"

namespace inferd::net {

// Coarse timers of one loop: a hashed wheel of 10 ms ticks. A timer fires at the first Advance() at or after its time,
// never before. Adding and cancelling take constant time. Loop-bound. The caller passes in the time.
class TimerWheel final {
 public:
  using Id = uint64_t;  // 0 if there is no timer
  static constexpr int64_t kTickNs = 10'000'000;

  explicit TimerWheel(int64_t now_ns) : tick_(now_ns / kTickNs) { slots_.fill(kNone); }

  Id Add(int64_t now_ns, std::chrono::milliseconds delay, base::Task task);
  // Does nothing if the timer has fired or does not exist.
  void Cancel(Id id);
  // Runs the timers that are due. Their tasks may add and cancel timers.
  void Advance(int64_t now_ns);
  // Returns when Advance() may next have work (never too late, but possibly too early), or nullopt if there is no
  // timer.
  std::optional<int64_t> NextNs() const;
  size_t size() const { return live_; }

 private:
  static constexpr size_t kSlots = 512;
  static constexpr uint32_t kNone = ~uint32_t{0};

  // Timers of one slot form a doubly linked list by index.
  struct Timer {
    int64_t tick = 0;
    uint32_t generation = 1;
    uint32_t previous = kNone;
    uint32_t next = kNone;
    bool linked = false;
    base::Task task;
  };

  uint32_t Allocate();
  void Unlink(uint32_t index);
  void RunSlot(size_t slot, int64_t now_tick);
  void FindNext();

  std::array<uint32_t, kSlots> slots_;
  std::vector<Timer> timers_;
  std::vector<uint32_t> free_;
  size_t live_ = 0;
  int64_t tick_;           // all ticks up to this one have run
  int64_t next_tick_ = 0;  // no timer is due before it; valid while live_ > 0
};

}  // namespace inferd::net
