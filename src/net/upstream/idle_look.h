#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

#include "net/event_loop.h"

namespace inferd::net::upstream {

// Closes connections that have been idle for too long. Looks every second, as long as connections are idle. Loop-bound.
class IdleLook final {
 public:
  // `close_older` closes connections that have been idle since `until_ns` or longer. It returns false if none is idle
  // any more.
  IdleLook(EventLoop& loop, std::chrono::milliseconds timeout, std::function<bool(int64_t until_ns)> close_older)
      : loop_(loop), timeout_(timeout), close_older_(std::move(close_older)) {}
  ~IdleLook() {
    if (timer_ != 0) loop_.CancelTimer(timer_);
  }
  IdleLook(const IdleLook&) = delete;
  IdleLook& operator=(const IdleLook&) = delete;

  // Called when a connection has become idle.
  void Begin() {
    if (timer_ != 0) return;
    timer_ = loop_.RunAfter(kEvery, [this] {
      timer_ = 0;
      if (close_older_(loop_.now_ns() - timeout_.count())) Begin();
    });
  }

 private:
  static constexpr std::chrono::milliseconds kEvery{1'000};

  EventLoop& loop_;
  const std::chrono::nanoseconds timeout_;
  const std::function<bool(int64_t until_ns)> close_older_;
  Loop::TimerId timer_ = 0;
};

}  // namespace inferd::net::upstream
