#pragma once

#include <sys/epoll.h>

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "base/system/file_descriptor.h"
#include "base/turn.h"
#include "net/http/exchange.h"
#include "net/loop/loop.h"
#include "net/loop/readable_waits.h"
#include "net/loop/task_queue.h"
#include "net/loop/timer_wheel.h"
#include "net/loop/watcher.h"

namespace inferd::net {

// A Loop over epoll, level-triggered, on a thread of its own. A turn is: wait, what became ready, timers, posted tasks,
// what others do with all of it (base::Turn), then the turn's flushes (so that all that one turn has to write to a
// connection goes out in one call).
class EventLoop final : public Loop {
 public:
  using Watcher = net::Watcher;

  // `name`: the thread's; empty: "loop-" and the index. `executes`: base::Turn's.
  explicit EventLoop(size_t index, std::string name = {}, bool executes = true);
  ~EventLoop() override;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  void Post(base::Task task) override;
  bool InLoopThread() const override {
    return thread_id_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }
  TimerId RunAfter(std::chrono::milliseconds delay, base::Task task) override;
  void CancelTimer(TimerId id) override { timers_.Cancel(id); }
  size_t index() const override { return index_; }
  const std::string& name() const { return name_; }

  // How long the turn has lasted that this loop is in, at least 1; 0: it is in none. Thread-safe.
  int64_t TurnNs() const;

  // Ends the thread after the current turn and joins it; not from the loop thread. Idempotent.
  void Stop();

  // Loop-bound from here on. False: the system refuses another descriptor (errno says why).
  bool Watch(int fd, uint32_t epoll_events, Watcher& watcher);
  void Rewatch(int fd, uint32_t epoll_events, Watcher& watcher);
  // No call reaches `watcher` afterwards, not even of this turn.
  void Unwatch(int fd, Watcher& watcher);
  // More is about to become ready: the next wait does not sleep at once, so that nobody has to wake this thread.
  void ExpectSoon() { expects_soon_ = true; }
  // Runs at the end of this turn.
  void AtEndOfTurn(base::Task task) { flushes_.push_back(std::move(task)); }

  // When this turn began.
  int64_t now_ns() const { return now_ns_; }
  Reply::Target& replies() { return replies_; }

 private:
  void Run();
  int Poll(int wait_ms);
  int Wait();
  int WaitMs();
  void Dispatch(int ready);
  void Flush();

  const size_t index_;
  const std::string name_;
  base::FileDescriptor epoll_;
  base::FileDescriptor wake_;
  base::SystemClock clock_;
  int64_t now_ns_;
  std::atomic<int64_t> turn_began_ns_{0};  // 0: in none
  TaskQueue tasks_;
  TimerWheel timers_;
  bool expects_soon_ = false;
  ReadableWaits waits_;
  base::Turn turn_;
  Reply::Target replies_;
  std::vector<base::Task> flushes_;
  std::vector<base::Task> flushing_;
  std::array<epoll_event, 256> events_;
  std::span<epoll_event> dispatching_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::thread::id> thread_id_;
  std::thread thread_;
};

}  // namespace inferd::net
