#include "serving/scheduling/inline_lane.h"

#include <algorithm>
#include <utility>

#include "serving/scheduling/queue/queue_policy.h"

namespace inferd::scheduling {

namespace {

// A shared execution copies its inputs, and inputs that wait leave the caches. For a larger request, either costs more
// than sharing saves.
constexpr size_t kGatherBytesMax = 64 * 1024;

// Most of the time of an execution in another process is the way there and back. A hop before it costs as much again.
constexpr int64_t kElsewhereFactor = 4;

// The model's own setting for inline execution takes precedence over the server's.
InlineGate MakeGate(const config::ModelConfig& config, bool computes_elsewhere, const SchedulerOptions& options) {
  const auto model_ns_max = static_cast<int64_t>(std::min<uint64_t>(config.inline_execution_max_us, 1'000'000)) * 1000;
  const int64_t factor = computes_elsewhere ? kElsewhereFactor : 1;
  return InlineGate(model_ns_max == 0 ? factor * options.inline_service_ns_max : model_ns_max, config.inline_execution);
}

// Returns the maximum time that clients of the same thread must wait. It also separates slow runs from those that the
// system interrupted. With kAlways, and if responses may already have been sent, an execution may stay as long as it
// may hold a thread. If it computes elsewhere, it frees the thread by itself.
int64_t StayNsMax(const config::ModelConfig& config, InlineLane::Traits traits, int64_t limit_ns) {
  const bool lets_go = traits.computes_elsewhere || traits.returns_at_once;
  const bool may_end = config.inline_execution == config::InlineExecution::kAuto && !traits.decoupled;
  const bool leaves = may_end && !lets_go && limit_ns > 0;
  return leaves ? std::min(InlineGate::kOutlier * limit_ns, HeldThreads::kHeldNs) : HeldThreads::kHeldNs;
}

// Returns the time after which an execution is moved. One that the engine ends when told to is not moved: engines check
// every 10 ms. Nor is one that briefly lost its core on a busy machine: a thread is expensive. With kAlways, executions
// are known to take long.
int64_t MoveNs(const config::ModelConfig& config, InlineLane::Traits traits, int64_t limit_ns) {
  constexpr int64_t kMoveNsMin = 20'000'000;
  constexpr int64_t kAlwaysMoveNs = HeldThreads::kHeldNs * 9 / 10;  // just before it counts as held
  if (traits.computes_elsewhere || traits.returns_at_once || traits.only_waits) return 0;
  if (config.inline_execution == config::InlineExecution::kAlways) return kAlwaysMoveNs;
  return std::clamp(InlineGate::kOutlier * limit_ns, kMoveNsMin, kAlwaysMoveNs);
}

}  // namespace

InlineLane::InlineLane(const config::ModelConfig& config, Traits traits, const SchedulerOptions& options,
                       HeldThreads& held_threads)
    : gate_(MakeGate(config, traits.computes_elsewhere, options)),
      limit_ns_(gate_.service_ns_max()),
      stay_ns_max_(StayNsMax(config, traits, limit_ns_)),
      move_ns_(MoveNs(config, traits, limit_ns_)),
      begins_only_(traits.returns_at_once && gate_.service_ns_max() > 0),
      looks_for_more_(traits.computes_elsewhere),
      held_threads_(held_threads) {}

base::Executor* InlineLane::LoopHere() {
  const base::Turn* const turn = base::Turn::Current();
  return turn != nullptr && turn->executes() ? turn->executor() : nullptr;
}

void InlineLane::SetUp(InstanceWorker& worker) {
  worker.inline_run.ns_max = stay_ns_max_;
  worker.inline_run.move_ns = move_ns_;
  worker.inline_run.moved_runs = &moved_runs_;
}

bool InlineLane::MayRun(const QueueEntry& entry) const {
  const core::QueuedRequest& queued = entry.queued;
  if (!queued.request->parameters.empty()) return false;
  if (const base::Turn* turn = base::Turn::Current(); turn != nullptr && !turn->executes()) return false;
  // All parts of a large request together would keep the thread for too long.
  if (queued.parts != nullptr || held_threads_.any()) return false;
  return Lets(entry.rows(), queued.request->InputBytes());
}

bool InlineLane::MayRun(const FormedBatch& batch) const {
  if (batch.execution != nullptr && batch.execution->member(0).evicted) return false;
  return batch.may_run_inline && !held_threads_.any() && Lets(batch.record.rows, batch.bytes);
}

bool InlineLane::GathersFor(const QueueEntry& entry, base::Turn* turn) const {
  if (turn == nullptr) return false;
  if (!turn->more() && !StepsOn(turn) && !Gathers(*turn) && !looks_for_more_) return false;
  return entry.queued.request->InputBytes() <= kGatherBytesMax && MayRun(entry);
}

bool InlineLane::BeginGathering(base::Turn& turn) {
  if (looks_for_more_) turn.LookAgain();
  if (Gathers(turn)) return false;
  gathering_.push_back(&turn);
  return true;
}

bool InlineLane::Gathers(const base::Turn& turn) const {
  return std::ranges::find(gathering_, &turn) != gathering_.end();
}

InlineLane::Held InlineLane::FindHeld(const std::vector<std::unique_ptr<InstanceWorker>>& workers, int64_t now_ns) {
  constexpr int64_t kLookAgainNs = 100'000'000;  // when to check if held executions were moved
  if (due_ns_ == 0 || due_ns_ > now_ns) return {};
  due_ns_ = 0;
  Held longest;
  for (const auto& worker : workers) {
    const int64_t since_ns = worker->inline_run.since_ns.load(std::memory_order_relaxed);
    if (since_ns == 0) continue;
    const int64_t held_ns = now_ns - since_ns;
    const bool moved = worker->inline_run.moved.load(std::memory_order_relaxed);
    if (held_ns >= HeldThreads::NextNs(worker->said_held_ns)) {
      gate_.Ban();
      worker->said_held_ns = held_ns;
      if (held_ns > longest.held_ns) longest = {.held_ns = held_ns, .moved = moved};
    }
    CountHeld(*worker, worker->said_held_ns != 0 && !moved);
    if (worker->counts_as_held) due_ns_ = Earlier(due_ns_, now_ns + kLookAgainNs);
    due_ns_ = Earlier(due_ns_, since_ns + HeldThreads::NextNs(worker->said_held_ns));
  }
  return longest;
}

void InlineLane::CountHeld(InstanceWorker& worker, bool held) {
  if (std::exchange(worker.counts_as_held, held) == held) return;
  held ? held_threads_.Add() : held_threads_.Remove();
}

bool InlineLane::LetGoHeld(InstanceWorker& worker) {
  if (worker.inline_run.moved.load(std::memory_order_relaxed)) {
    worker.inline_run.moved.store(false, std::memory_order_relaxed);
    moved_runs_.fetch_sub(1, std::memory_order_relaxed);
  }
  if (std::exchange(worker.said_held_ns, 0) == 0) return false;
  CountHeld(worker, false);
  return true;
}

}  // namespace inferd::scheduling
