#pragma once

#include <sys/epoll.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <semaphore>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/system/file_descriptor.h"
#include "base/turn.h"
#include "net/http/exchange.h"
#include "net/loop/loop.h"
#include "net/loop/loop_watch.h"
#include "net/loop/readable_waits.h"
#include "net/loop/task_queue.h"
#include "net/loop/timer_wheel.h"
#include "net/loop/watcher.h"

namespace inferd::net {

// A Loop over epoll, level-triggered, on a thread of its own. A turn consists of the wait, ready descriptors, timers,
// posted tasks, deferred work (base::Turn), and the turn's flushes, so that one turn's output on a connection goes out
// in one call.
//
// With a watch, the loop moves to a new thread when a step of its turn blocks the thread for too long (base::Turn). The
// new thread continues the turn after that step. The old thread ends when the step returns.
class EventLoop final : public Loop, public LoopWatch::Subject {
 public:
  using Watcher = net::Watcher;

  // `name` is the thread's; if empty, "loop-" and the index. `executes` is base::Turn's. If `watch` is null, the loop
  // is never moved. The watch must stop before the loop does.
  explicit EventLoop(size_t index, std::string name = {}, bool executes = true, base::Turn::Watch* watch = nullptr);
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

  // Returns the duration of the current turn, at least 1, or 0 between turns. Thread-safe.
  int64_t TurnNs() const;

  // Ends the thread after the current turn. Joins it and all threads that the loop was moved from. Must not be called
  // on the loop thread. Idempotent.
  void Stop();
  // Waits for the threads that the loop was moved from. Returns true if all have ended. May be called on any thread.
  bool AwaitLeftThreads(std::chrono::steady_clock::time_point deadline);

  // LoopWatch::Subject.
  bool MoveIfHeld(int64_t now_ns) override;
  void StopWatching() override { turn_.StopWatching(); }

  // The rest is loop-bound. Returns false if the system refuses another descriptor (errno has the reason).
  bool Watch(int fd, uint32_t epoll_events, Watcher& watcher);
  void Rewatch(int fd, uint32_t epoll_events, Watcher& watcher);
  // Stops watching. `watcher` is not called any more, not even in this turn.
  void Unwatch(int fd, Watcher& watcher);
  // Announces that more work is about to arrive: the next wait does not sleep at once, so that no thread has to wake
  // this one.
  void ExpectSoon() { expects_soon_ = true; }
  // Runs the task at the end of this turn.
  void AtEndOfTurn(base::Task task) { flushes_.push_back(std::move(task)); }

  // Returns the time at which this turn began.
  int64_t now_ns() const { return now_ns_; }
  Reply::Target& replies() { return replies_; }

 private:
  // A thread that the loop was moved from.
  struct LeftThread {
    std::thread thread;
    bool ended = false;
  };

  // `held` is the scope of the thread that the loop moves from, or null.
  void Run(base::Turn::Scope* held);
  void Continue(base::Turn::Scope& held);
  void EndLeftThread();
  bool HasLeftThreads() const REQUIRES(left_mutex_);
  // The functions below return false if this thread has lost the loop and must not touch it any more.
  bool RunTurns();
  bool FinishTurn();
  bool Dispatch();
  bool Flush();
  int Poll(int wait_ms);
  int Wait();
  int WaitMs();

  const size_t index_;
  const std::string name_;
  base::FileDescriptor epoll_;
  base::FileDescriptor wake_;
  base::SystemClock clock_;
  int64_t now_ns_;
  std::atomic<int64_t> turn_began_ns_{0};  // 0 between turns
  TaskQueue tasks_;
  TimerWheel timers_;
  bool expects_soon_ = false;
  ReadableWaits waits_;
  base::Turn turn_;
  Reply::Target replies_;
  std::vector<base::Task> flushes_;
  std::vector<base::Task> flushing_;
  std::array<epoll_event, 256> events_;
  std::span<epoll_event> dispatching_;  // the part of events_ that is still to be dispatched
  std::atomic<bool> stopping_{false};
  std::atomic<std::thread::id> thread_id_;
  std::atomic<base::Turn::Scope*> scope_{nullptr};  // the thread's; null until its loop begins
  std::binary_semaphore moved_{0};
  base::Mutex left_mutex_;
  base::CondVar left_changed_;
  std::vector<LeftThread> left_threads_ GUARDED_BY(left_mutex_);
  std::thread thread_;  // replaced by the watch
};

}  // namespace inferd::net
