#pragma once

#include <chrono>
#include <thread>

namespace inferd::cluster {

// Waits until the condition holds. Returns false if it does not within that time.
template <typename Condition>
bool Becomes(Condition condition, std::chrono::seconds within = std::chrono::minutes(1)) {
  const auto end = std::chrono::steady_clock::now() + within;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace inferd::cluster
