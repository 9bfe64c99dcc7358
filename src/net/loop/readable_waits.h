#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/turn.h"
#include "net/loop/watcher.h"

namespace inferd::net {

// Waits of a loop for foreign descriptors besides its connections (base::Turn::AwaitReadable). A descriptor's entry is
// kept, since it is likely to be awaited again. If it was closed since then, the system reports that. Loop-bound.
class ReadableWaits final : public base::Turn::Waits {
 public:
  // `epoll` is the loop's; its events carry a Watcher*. It must outlive this object.
  explicit ReadableWaits(int epoll) : epoll_(epoll) {}

  bool AwaitReadable(int descriptor, base::Task ready) override;
  // Runs all waiting tasks spuriously, and refuses new ones, because the loop ends.
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
  std::unordered_map<int, Wait> waits_;  // by descriptor; elements have stable addresses
};

}  // namespace inferd::net
