#include "net/loop/timer_wheel.h"

#include <algorithm>
#include <utility>

#include "base/memory_shortage.h"

namespace inferd::net {

uint32_t TimerWheel::Allocate() {
  if (free_.empty()) {
    timers_.emplace_back();
    return static_cast<uint32_t>(timers_.size() - 1);
  }
  const uint32_t index = free_.back();
  free_.pop_back();
  return index;
}

TimerWheel::Id TimerWheel::Add(int64_t now_ns, std::chrono::milliseconds delay, base::Task task) {
  const int64_t delay_ns = std::chrono::nanoseconds(std::max(delay, std::chrono::milliseconds(0))).count();
  // Rounded up, so that it is never early, and never into a tick that has run.
  const int64_t tick = std::max((now_ns + delay_ns + kTickNs - 1) / kTickNs, tick_ + 1);
  const uint32_t index = Allocate();
  Timer& timer = timers_[index];
  uint32_t& first = slots_[static_cast<size_t>(tick) % kSlots];
  timer.tick = tick;
  timer.previous = kNone;
  timer.next = first;
  timer.linked = true;
  timer.task = std::move(task);
  if (first != kNone) timers_[first].previous = index;
  first = index;
  next_tick_ = live_ == 0 ? tick : std::min(next_tick_, tick);
  ++live_;
  return (static_cast<uint64_t>(timer.generation) << 32) | index;
}

void TimerWheel::Unlink(uint32_t index) {
  Timer& timer = timers_[index];
  if (timer.previous != kNone) {
    timers_[timer.previous].next = timer.next;
  } else {
    slots_[static_cast<size_t>(timer.tick) % kSlots] = timer.next;
  }
  if (timer.next != kNone) timers_[timer.next].previous = timer.previous;
  timer.linked = false;
  ++timer.generation;
  free_.push_back(index);
  --live_;
}

void TimerWheel::Cancel(Id id) {
  const auto index = static_cast<uint32_t>(id);
  if (index >= timers_.size()) return;
  Timer& timer = timers_[index];
  if (!timer.linked || timer.generation != id >> 32) return;
  base::Task task = std::move(timer.task);  // destroyed when the wheel is consistent again
  Unlink(index);
}

// A task may cancel any other timer, so the walk restarts at the slot's head after each task.
void TimerWheel::RunSlot(size_t slot, int64_t now_tick) {
  uint32_t index = slots_[slot];
  while (index != kNone) {
    if (timers_[index].tick > now_tick) {
      index = timers_[index].next;
      continue;
    }
    base::Task task = std::move(timers_[index].task);
    Unlink(index);
    base::RunUnlessOutOfMemory(task);
    index = slots_[slot];
  }
}

void TimerWheel::Advance(int64_t now_ns) {
  const int64_t now_tick = now_ns / kTickNs;
  if (live_ == 0 || now_tick < next_tick_) {
    tick_ = std::max(tick_, now_tick);
    return;
  }
  const int64_t first = std::max(tick_ + 1, now_tick - static_cast<int64_t>(kSlots) + 1);
  tick_ = now_tick;  // timers that the tasks add come after this tick
  for (int64_t tick = first; tick <= now_tick; ++tick) RunSlot(static_cast<size_t>(tick) % kSlots, now_tick);
  FindNext();
}

void TimerWheel::FindNext() {
  next_tick_ = tick_ + 1;
  if (live_ == 0) return;
  const int64_t end = tick_ + static_cast<int64_t>(kSlots);
  while (next_tick_ < end && slots_[static_cast<size_t>(next_tick_) % kSlots] == kNone) ++next_tick_;
}

std::optional<int64_t> TimerWheel::NextNs() const {
  if (live_ == 0) return std::nullopt;
  return next_tick_ * kTickNs;
}

}  // namespace inferd::net
