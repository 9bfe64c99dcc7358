#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/turn.h"
#include "serving/scheduling/batch/formed_batch.h"
#include "serving/scheduling/held_threads.h"
#include "serving/scheduling/instance_worker.h"
#include "serving/scheduling/policy/inline_gate.h"
#include "serving/scheduling/scheduler_options.h"

namespace inferd::scheduling {

// Decides which of a version's executions run on connections' threads (InlineGate). Gathers the requests of one turn,
// so that they run at its end. Finds executions that hold such a thread for too long. Not thread-safe: the scheduler's
// lock guards it.
class InlineLane final {
 public:
  // The way in which a model's executions use their thread (EngineModel).
  struct Traits {
    bool computes_elsewhere = false;
    bool returns_at_once = false;
    bool decoupled = false;
    bool only_waits = false;
  };
  InlineLane(const config::ModelConfig& config, Traits traits, const SchedulerOptions& options,
             HeldThreads& held_threads);

  // Returns the executor by which the calling thread can be given executions later. Null if the thread has none, or no
  // model may run there.
  static base::Executor* LoopHere();

  // True if executions run as steps of a movable turn: if one takes long, another thread serves the turn's connections.
  bool is_movable() const { return move_ns_ > 0; }
  // True if such a step already waits on the thread of this turn. `turn` may be null.
  bool StepsOn(const base::Turn* turn) const { return is_movable() && turn != nullptr && turn->has_step(); }
  // Prepares an instance's worker. Call once.
  void SetUp(InstanceWorker& worker);

  // Return true if this thread may run the request, or the execution.
  bool MayRun(const QueueEntry& entry) const;
  bool MayRun(const FormedBatch& batch) const;
  // Returns true if a connection's thread should begin the execution that an instance's own thread is about to run. It
  // will not wait for the end: an engine in another process can be given the next execution at once.
  bool MayOnlyBegin(const FormedBatch& batch) const { return begins_only_ && MayRun(batch); }
  // Returns the place of an execution of `rows` rows that is about to run on this connections' thread.
  Place PlaceOf(int64_t rows) const { return gate_.watching(rows) ? Place::kWatchedCaller : Place::kCaller; }
  // Returns the gate that limits the rows of an execution at that place. Null if there is no limit.
  const InlineGate* BoundOf(Place place) const { return place == Place::kWorker ? nullptr : &gate_; }

  // Returns true if this thread should run the request at the end of its turn, together with the other requests of the
  // turn: in one execution if requests may share one, otherwise one execution after the other. From the second
  // execution on, the engine's code is in the core's caches. So is the code that reads requests and writes responses.
  // `turn` is this thread's. False also for a request that this thread may not run.
  bool GathersFor(const QueueEntry& entry, base::Turn* turn) const;
  // Starts gathering. Returns true if the caller must arrange that EndGathering() and then the queued requests run at
  // the end of the turn. Returns false if that is already arranged.
  bool BeginGathering(base::Turn& turn);
  void EndGathering(const base::Turn& turn) { std::erase(gathering_, &turn); }

  // Call before an execution begins on a connections' thread. From due_ns() on, FindHeld() checks how long it takes.
  void Watch(int64_t now_ns) {
    if (due_ns_ == 0) due_ns_ = now_ns + HeldThreads::kHeldNs;
  }
  int64_t due_ns() const { return due_ns_; }
  // The longest execution that the log must report now. `held_ns` is 0 if there is none. `moved` is true if another
  // thread has the connections. After its first report, the model no longer runs on connections' threads.
  struct Held {
    int64_t held_ns = 0;
    bool moved = false;
  };
  Held FindHeld(const std::vector<std::unique_ptr<InstanceWorker>>& workers, int64_t now_ns);
  // Call when the worker's execution has released its thread. Returns true if the execution had been reported, so that
  // the release must be reported too.
  bool LetGo(InstanceWorker& worker) {
    const bool held = worker.said_held_ns != 0 || worker.inline_run.moved.load(std::memory_order_relaxed);
    return held && LetGoHeld(worker);
  }

  // Records how long an execution kept its instance's thread, without delays that are not the model's fault.
  void Record(const FormedBatch& batch, int64_t blamed_ns) {
    gate_.Record(batch.record.rows, blamed_ns, batch.bytes, batch.on_loop);
  }
  // Times below this do not matter to the gate.
  int64_t limit_ns() const { return limit_ns_; }
  // True if single requests run on connections' threads.
  bool open() const { return Lets(1, 0); }

 private:
  // While a moved execution is still running, the next one would probably be as slow.
  bool Lets(int64_t rows, size_t bytes) const {
    if (moved_runs_.load(std::memory_order_relaxed) > 0) return false;
    return gate_.Allows(rows, bytes) || (begins_only_ && gate_.AllowsBeginning(bytes));
  }
  bool Gathers(const base::Turn& turn) const;
  bool LetGoHeld(InstanceWorker& worker);
  void CountHeld(InstanceWorker& worker, bool held);

  InlineGate gate_;
  const int64_t limit_ns_;
  // The time that an execution may stay on a connections' thread before its engine is told to give it up. The time to
  // move its inputs (InlineGate::MovingNs) comes on top.
  const int64_t stay_ns_max_;
  const int64_t move_ns_;      // InlineRun's
  const bool begins_only_;     // executions are only begun on a connections' thread
  const bool looks_for_more_;  // reads more requests first: an execution in another process is expensive
  HeldThreads& held_threads_;
  std::atomic<int> moved_runs_{0};  // moved executions that are still running
  std::vector<const base::Turn*> gathering_;
  int64_t due_ns_ = 0;  // 0 if nothing must be checked
};

}  // namespace inferd::scheduling
