#pragma once

#include <cstdint>

namespace inferd::net {

// Receives the events of a descriptor that a loop watches. Loop-bound.
class Watcher {
 public:
  virtual void OnReady(uint32_t epoll_events) = 0;

 protected:
  ~Watcher() = default;
};

}  // namespace inferd::net
