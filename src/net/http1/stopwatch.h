#pragma once

#include <chrono>
#include <cstdint>

namespace inferd::net::http1 {

// A stopwatch that is driven by ticks only: the first tick after Restart() starts it. Loop-bound.
class Stopwatch final {
 public:
  void Restart() { since_ns_ = 0; }
  // Returns true if more than `limit` has passed. Call it at each tick.
  bool Passed(int64_t now_ns, std::chrono::milliseconds limit) {
    if (since_ns_ == 0) since_ns_ = now_ns;
    return now_ns - since_ns_ > std::chrono::nanoseconds(limit).count();
  }

 private:
  int64_t since_ns_ = 0;
};

}  // namespace inferd::net::http1
