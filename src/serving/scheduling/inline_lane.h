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

// Which of a version's executions run on connections' threads: what the InlineGate lets in, the turns at whose end what
// they have brought together is run, and the watch over executions that keep such a thread for too long. Not
// thread-safe: the scheduler's lock guards it.
class InlineLane final {
 public:
  // What a model's executions do with their thread (EngineModel).
  struct Traits {
    bool computes_elsewhere = false;
    bool returns_at_once = false;
    bool decoupled = false;
    bool only_waits = false;
  };
  InlineLane(const config::ModelConfig& config, Traits traits, const SchedulerOptions& options,
             HeldThreads& held_threads);

  // Where the calling thread may be given executions later; null: nowhere, or no model runs there.
  static base::Executor* LoopHere();

  // True if executions are to run as steps of a movable turn: other threads serve its connections when one takes long.
  bool is_movable() const { return move_ns_ > 0; }
  // True if such a step waits already on the thread that has this turn, which may be null.
  bool StepsOn(const base::Turn* turn) const { return is_movable() && turn != nullptr && turn->has_step(); }
  // Prepares the worker of an instance. Once.
  void SetUp(InstanceWorker& worker);

  // Whether this thread may run the request, or the execution, as far as that is concerned.
  bool MayRun(const QueueEntry& entry) const;
  bool MayRun(const FormedBatch& batch) const;
  // Whether an execution that an instance's own thread is about to run is better begun on a connections' one, which
  // does not wait for its end: for an engine in another process, it can be followed by the next at once.
  bool MayOnlyBegin(const FormedBatch& batch) const { return begins_only_ && MayRun(batch); }
  // Where an execution of so many rows is about to run that does so here.
  Place PlaceOf(int64_t rows) const { return gate_.watching(rows) ? Place::kWatchedCaller : Place::kCaller; }
  // What bounds the rows of an execution that is to run there; null: nothing.
  const InlineGate* BoundOf(Place place) const { return place == Place::kWorker ? nullptr : &gate_; }

  // Whether this thread, which may run the request, is better off to run it at the end of its turn, with what else the
  // turn brings: in one execution where requests may share one, else in executions one right after the other. The
  // engine's code is in the core's caches from the second on, and so is the code that reads requests and the one that
  // writes answers. `turn`: the thread's.
  bool GathersFor(const QueueEntry& entry, base::Turn* turn) const;
  // True: at the turn's end, EndGathering() is to be called, and what waits is to be run. False: it is anyway.
  bool BeginGathering(base::Turn& turn);
  void EndGathering(const base::Turn& turn) { std::erase(gathering_, &turn); }

  // An execution is about to begin on a connections' thread: from due_ns() on, FindHeld() looks at how long that takes.
  void Watch(int64_t now_ns) {
    if (due_ns_ == 0) due_ns_ = now_ns + HeldThreads::kHeldNs;
  }
  int64_t due_ns() const { return due_ns_; }
  // The execution that has held a connections' thread for longest, of those that the log is to name now. `held_ns` 0:
  // there is none. `moved`: another thread has the connections. The model of what is found for the first time does not
  // come back to such a thread.
  struct Held {
    int64_t held_ns = 0;
    bool moved = false;
  };
  Held FindHeld(const std::vector<std::unique_ptr<InstanceWorker>>& workers, int64_t now_ns);
  // The worker's execution has let go of its thread. True: it had been found, and that is to be said.
  bool LetGo(InstanceWorker& worker) {
    const bool held = worker.said_held_ns != 0 || worker.inline_run.moved.load(std::memory_order_relaxed);
    return held && LetGoHeld(worker);
  }

  // How long an execution kept its instance's thread as far as the model is to blame.
  void Record(const FormedBatch& batch, int64_t blamed_ns) {
    gate_.Record(batch.record.rows, blamed_ns, batch.bytes, batch.on_loop);
  }
  // What takes no longer is not the gate's concern.
  int64_t limit_ns() const { return limit_ns_; }
  // Lone requests run here.
  bool open() const { return Lets(1, 0); }

 private:
  // While an execution is where it was moved from, the next one would be as slow perhaps.
  bool Lets(int64_t rows, size_t bytes) const {
    if (moved_runs_.load(std::memory_order_relaxed) > 0) return false;
    return gate_.Allows(rows, bytes) || (begins_only_ && gate_.AllowsBeginning(bytes));
  }
  bool Gathers(const base::Turn& turn) const;
  bool LetGoHeld(InstanceWorker& worker);
  void CountHeld(InstanceWorker& worker, bool held);

  InlineGate gate_;
  const int64_t limit_ns_;
  // How long an execution may be on a connections' thread before its engine is told to give it up, but for the time
  // that its inputs take to be moved (InlineGate::MovingNs).
  const int64_t stay_ns_max_;
  const int64_t move_ns_;      // InlineRun's
  const bool begins_only_;     // executions are, on a connections' thread
  const bool looks_for_more_;  // before an execution begins: one in another process is dear, whatever its size
  HeldThreads& held_threads_;
  std::atomic<int> moved_runs_{0};  // executions that run where connections' threads were
  std::vector<const base::Turn*> gathering_;
  int64_t due_ns_ = 0;  // 0: nothing to look at
};

}  // namespace inferd::scheduling
