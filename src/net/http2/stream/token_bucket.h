#pragma once

#include <algorithm>
#include <cstdint>

namespace inferd::net::http2 {

// A token bucket: allows a burst, then a rate. The connection's tick refills it, so that no frame needs to read a
// clock.
class TokenBucket {
 public:
  TokenBucket(int64_t burst, int64_t per_second) : tokens_(burst), burst_(burst), per_second_(per_second) {}

  // Returns false if the bucket is empty.
  bool Take() { return --tokens_ >= 0; }
  void Refill(int64_t elapsed_ns) {
    constexpr int64_t kLongestNs = 60'000'000'000;
    Credit(per_second_ * std::clamp<int64_t>(elapsed_ns, 0, kLongestNs) / 1'000'000'000);
  }
  void Credit(int64_t tokens) { tokens_ = std::min(burst_, tokens_ + tokens); }

 private:
  int64_t tokens_;
  int64_t burst_;
  int64_t per_second_;
};

}  // namespace inferd::net::http2
