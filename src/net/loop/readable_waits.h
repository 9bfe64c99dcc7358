#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/turn.h"
#include "net/loop/watcher.h"

namespace inferd::net {

// Descriptors of others that a loop waits for beside its connections (base::Turn::AwaitReadable). What is known of a
// descriptor stays, since it is likely to be waited for again: one that was closed since is told by the system.
// Loop-bound.
class ReadableWaits final : public base::Turn::Waits {
 public:
  // `epoll`: the loop's, whose events have a Watcher*; it outlives this.
  explicit ReadableWaits(int epoll) : epoll_(epoll) {}

  bool AwaitReadable(int descriptor, base::Task ready) override;
  // Runs all that is waited for, for nothing, and refuses more: the loop ends.
  void End();

 private:
  class Wait final : public Watcher {
   public:
    void Set(base::Task ready);
    void OnReady(uint32_t epoll_events) override;

   private:
    base::Task ready_;
  };

  bool Arm(int descriptor, Wait& wait);

  const int epoll_;
  bool ended_ = false;
  std::unordered_map<int, Wait> waits_;  // by descriptor; what it holds stays where it is
};

}  // namespace inferd::net
