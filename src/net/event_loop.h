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

// A Loop over epoll, level-triggered, on a thread of its own. A turn is: wait, what became ready, timers, posted tasks,
// what others do with all of it (base::Turn), then the turn's flushes (so that all that one turn has to write to a
// connection goes out in one call).
//
// With a watch, the loop is moved to a new thread when a step of its turn keeps the thread for too long (base::Turn).
// The new thread continues the turn behind that step. The old one ends when the step does.
class EventLoop final : public Loop, public LoopWatch::Subject {
 public:
  using Watcher = net::Watcher;

  // `name`: the thread's; empty: "loop-" and the index. `executes`: base::Turn's. `watch` null: the loop is not moved.
  // The watch stops before the loop does.
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

  // How long the turn has lasted that this loop is in, at least 1; 0: it is in none. Thread-safe.
  int64_t TurnNs() const;

  // Ends the thread after the current turn and joins it, and those that the loop was moved from; not from the loop
  // thread. Idempotent.
  void Stop();
  // Waits for threads that the loop was moved from. Returns true if all have ended. Any thread.
  bool AwaitLeftThreads(std::chrono::steady_clock::time_point deadline);

  // LoopWatch::Subject.
  bool MoveIfHeld(int64_t now_ns) override;
  void StopWatching() override { turn_.StopWatching(); }

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
  // A thread that the loop was moved from.
  struct LeftThread {
    std::thread thread;
    bool ended = false;
  };

  // `held`: of the thread that the loop moves from; null: there is none.
  void Run(base::Turn::Scope* held);
  void Continue(base::Turn::Scope& held);
  void EndLeftThread();
  bool HasLeftThreads() const REQUIRES(left_mutex_);
  // These return false if this thread has lost the loop, and touches it no more.
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
  std::span<epoll_event> dispatching_;  // of events_, those that are still to be dispatched
  std::atomic<bool> stopping_{false};
  std::atomic<std::thread::id> thread_id_;
  std::atomic<base::Turn::Scope*> scope_{nullptr};  // the thread's; null: it is about to begin
  std::binary_semaphore moved_{0};
  base::Mutex left_mutex_;
  base::CondVar left_changed_;
  std::vector<LeftThread> left_threads_ GUARDED_BY(left_mutex_);
  std::thread thread_;  // the watch changes it
};

}  // namespace inferd::net
