#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <stop_token>
#include <thread>

#include "storage/transfer/backoff.h"

namespace inferd::storage {

// Requests a stop when its time is up, or when another token's stop is requested. Its thread ends with it. Thread-safe.
class Deadline final {
 public:
  Deadline(std::chrono::seconds time, const std::stop_token& stop)
      : forward_(stop, [this] { source_.request_stop(); }), timer_([this, time](const std::stop_token& ended) {
          if (!PauseFor(time, ended)) return;
          passed_ = true;
          source_.request_stop();
        }) {}
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  bool passed() const { return passed_; }

 private:
  std::stop_source source_;
  std::atomic<bool> passed_{false};
  const std::stop_callback<std::function<void()>> forward_;
  const std::jthread timer_;  // ends first
};

}  // namespace inferd::storage
