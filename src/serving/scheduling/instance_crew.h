#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "serving/core/engine.h"
#include "serving/scheduling/instance_worker.h"
#include "serving/scheduling/queue/queue_policy.h"

namespace inferd::scheduling {

// The instances of a version: which are idle, which have been woken and not looked at what waits yet, and their
// threads, which are started when they are needed for the first time. Not thread-safe: the scheduler's lock guards it.
class InstanceCrew final {
 public:
  // What an instance's thread does; returns once `worker` is told to end.
  using Main = std::function<void(InstanceWorker& worker)>;

  // Executions of an instance that has no claim: how many may be unfinished, and how many more it takes.
  struct Limits {
    int unfinished_max = 1;
    int ahead_max = 0;
  };
  // `threads` false: they have none, and the caller runs what they are woken for.
  InstanceCrew(std::vector<std::unique_ptr<core::EngineInstance>> instances, std::vector<InstancePlace> places,
               Limits limits, bool threads, const base::Clock& clock, Main main);

  const std::vector<std::unique_ptr<InstanceWorker>>& workers() const { return workers_; }
  size_t size() const { return workers_.size(); }

  size_t idle() const { return idle_.size(); }
  // The one that has been idle for the shortest time, and of those that have unfinished executions only where there is
  // no other. There is one.
  InstanceWorker& NextIdle() const { return *idle_.back(); }
  InstanceWorker& TakeIdle();
  // False: it is not idle.
  bool TakeIdle(const InstanceWorker& worker) { return std::erase(idle_, &worker) > 0; }
  void MakeIdle(InstanceWorker& worker);
  // The one whose turn it is: each gets as many as any other.
  InstanceWorker& NextToWarmUp() { return *workers_[next_warmup_++ % workers_.size()]; }

  // Those that were woken for what waits, and have not looked at it yet.
  int64_t woken() const { return woken_; }
  // The worker, which has been taken, is to look at what waits. False: it is idle, as there is no thread for it; at
  // due_ns() it is time to try again.
  bool Wake(InstanceWorker& worker);
  // A woken worker is about to look.
  void Looks() { --woken_; }
  // To the worker's own thread; false: there is none to be had.
  bool HandOver(InstanceWorker& worker, const FormedBatch& batch);
  // Keeps the execution of a worker that is not idle for a connections' thread that is about to ask for it. Should it
  // not for HeldThreads::kHeldNs, it hangs, and OnTime() hands the execution over to the worker's own thread.
  void PutOff(InstanceWorker& worker, const FormedBatch& batch);
  // No execution: it has been handed over.
  FormedBatch TakePutOff(InstanceWorker& worker) { return std::exchange(worker.put_off, {}); }
  // The thread that was to ask for it has ended.
  void HandOverPutOff(InstanceWorker& worker);
  // One that was woken or handed something; null: there is none. Where they have no threads.
  InstanceWorker* FindSignalled() const;

  int64_t due_ns() const { return Earlier(retry_ns_, put_off_due_ns_); }
  void OnTime(int64_t now_ns);
  // Whether no instance has a thread, and none could be started for long enough.
  bool LacksThreads(int64_t now_ns) const;

  // Has every thread end; JoinAll(), without the lock, returns when they have.
  void EndAll();
  void JoinAll();

 private:
  bool Signal(InstanceWorker& worker);

  const bool threads_;
  const base::Clock& clock_;
  const Main main_;
  std::vector<std::unique_ptr<InstanceWorker>> workers_;
  std::vector<InstanceWorker*> idle_;
  int64_t woken_ = 0;
  size_t next_warmup_ = 0;
  int64_t no_thread_ns_ = 0;    // since when no thread can be started; 0: it can, or was not needed
  int64_t retry_ns_ = 0;        // when that is tried again; 0: never
  int64_t put_off_due_ns_ = 0;  // when to look at what is put off; 0: never
};

}  // namespace inferd::scheduling
