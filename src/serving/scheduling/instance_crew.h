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

// The instances of a version and their threads. Knows which instances are idle, and which were woken and have not taken
// work yet. Starts a thread when it is first needed. Not thread-safe: the scheduler's lock guards it.
class InstanceCrew final {
 public:
  // The main function of an instance's thread. It must return once `worker` is told to end.
  using Main = std::function<void(InstanceWorker& worker)>;

  // The limits of an instance without a claim: how many executions may be unfinished, and how many more it takes in
  // advance.
  struct Limits {
    int unfinished_max = 1;
    int ahead_max = 0;
  };
  // If `threads` is false, instances have no threads, and the caller runs the work of woken instances.
  InstanceCrew(std::vector<std::unique_ptr<core::EngineInstance>> instances, std::vector<InstancePlace> places,
               Limits limits, bool threads, const base::Clock& clock, Main main);

  const std::vector<std::unique_ptr<InstanceWorker>>& workers() const { return workers_; }
  size_t size() const { return workers_.size(); }

  size_t idle() const { return idle_.size(); }
  // Returns the instance that became idle last. One with unfinished executions is returned only if there is no other.
  // At least one must be idle.
  InstanceWorker& NextIdle() const { return *idle_.back(); }
  InstanceWorker& TakeIdle();
  // Returns false if it is not idle.
  bool TakeIdle(const InstanceWorker& worker) { return std::erase(idle_, &worker) > 0; }
  void MakeIdle(InstanceWorker& worker);
  // Returns the instance for the next warm-up: round robin.
  InstanceWorker& NextToWarmUp() { return *workers_[next_warmup_++ % workers_.size()]; }

  // Returns the number of instances that were woken for queued requests and have not taken any yet.
  int64_t woken() const { return woken_; }
  // Wakes a worker, which is not idle, to take queued requests. Returns false if no thread can be started: the worker
  // is idle then. Try again at due_ns().
  bool Wake(InstanceWorker& worker);
  // Call when a woken worker is about to take queued requests.
  void Looks() { --woken_; }
  // Hands the execution over to the worker's own thread. Returns false if no thread can be started.
  bool HandOver(InstanceWorker& worker, const FormedBatch& batch);
  // Keeps the execution of a busy worker for a connections' thread, which is about to fetch it by TakePutOff(). If that
  // thread does not do so within kHeldNs, it hangs, and OnTime() hands the execution over to the worker's own thread.
  void PutOff(InstanceWorker& worker, const FormedBatch& batch);
  // Returns the kept execution. Empty if it has been handed over to the worker's thread.
  FormedBatch TakePutOff(InstanceWorker& worker) { return std::exchange(worker.put_off, {}); }
  // Hands the kept execution over, because the thread that was to fetch it has ended.
  void HandOverPutOff(InstanceWorker& worker);
  // For instances without threads: returns one that was woken or handed an execution. Null if there is none.
  InstanceWorker* FindSignalled() const;

  int64_t due_ns() const { return Earlier(retry_ns_, put_off_due_ns_); }
  void OnTime(int64_t now_ns);
  // Returns true if no instance has a thread, and none could be started for some time.
  bool LacksThreads(int64_t now_ns) const;

  // Tells every thread to end. Then call JoinAll(), without the lock, which waits for them.
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
  int64_t no_thread_ns_ = 0;    // since when no thread can be started; 0 if one can, or none was needed
  int64_t retry_ns_ = 0;        // when to try that again; 0 if never
  int64_t put_off_due_ns_ = 0;  // when to check kept executions; 0 if never
};

}  // namespace inferd::scheduling
