#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/turn.h"
#include "net/event_loop.h"

namespace inferd::net {

// Descriptors of others that a loop waits for beside its connections (base::Turn::AwaitReadable). What is known of a
// descriptor stays, since it is likely to be waited for again: one that was closed since is told by the system.
// Loop-bound.
class ReadableWaits final : public base::Turn::Waits {
 public:
  // `loop` outlives this.
  explicit ReadableWaits(EventLoop& loop) : loop_(loop) {}

  bool AwaitReadable(int descriptor, base::Task ready) override;
  // All that is waited for, for nothing: the loop ends.
  void RunAll();

 private:
  class Wait final : public EventLoop::Watcher {
   public:
    void Set(base::Task ready);
    void OnReady(uint32_t epoll_events) override;

   private:
    base::Task ready_;
  };

  bool Arm(int descriptor, Wait& wait);

  EventLoop& loop_;
  std::unordered_map<int, Wait> waits_;  // by descriptor; what it holds stays where it is
};

}  // namespace inferd::net
