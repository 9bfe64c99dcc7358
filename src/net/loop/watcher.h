#pragma once

#include <cstdint>

namespace inferd::net {

// What happens on a descriptor that a loop waits for. Loop-bound.
class Watcher {
 public:
  virtual void OnReady(uint32_t epoll_events) = 0;

 protected:
  ~Watcher() = default;
};

}  // namespace inferd::net
