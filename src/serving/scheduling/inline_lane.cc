#include "serving/scheduling/inline_lane.h"

#include <algorithm>
#include <utility>

#include "serving/scheduling/queue/queue_policy.h"

namespace inferd::scheduling {

namespace {

// Sharing an execution takes a copy of the inputs, and inputs that wait leave the caches. With a larger request either
// costs more than is saved.
constexpr size_t kGatherBytesMax = 64 * 1024;

// Of an execution in another process, most is the way there and back. A hop before it costs that much again.
constexpr int64_t kElsewhereFactor = 4;

// The model's own word on running inline goes before the server's.
InlineGate MakeGate(const config::ModelConfig& config, bool computes_elsewhere, const SchedulerOptions& options) {
  const auto model_ns_max = static_cast<int64_t>(std::min<uint64_t>(config.inline_execution_max_us, 1'000'000)) * 1000;
  const int64_t factor = computes_elsewhere ? kElsewhereFactor : 1;
  return InlineGate(model_ns_max == 0 ? factor * options.inline_service_ns_max : model_ns_max, config.inline_execution);
}

// Clients whose connections share the thread wait no longer than that. It is also what tells a slow run from one that
// the system has interrupted. With kAlways, and where responses may be on their way already, an execution stays for
// as long as it may hold a thread. One that computes elsewhere lets go of the thread by itself.
int64_t StayNsMax(const config::ModelConfig& config, InlineLane::Traits traits, int64_t limit_ns) {
  const bool lets_go = traits.computes_elsewhere || traits.returns_at_once;
  const bool may_end = config.inline_execution == config::InlineExecution::kAuto && !traits.decoupled;
  const bool leaves = may_end && !lets_go && limit_ns > 0;
  return leaves ? std::min(InlineGate::kOutlier * limit_ns, HeldThreads::kHeldNs) : HeldThreads::kHeldNs;
}

}  // namespace

InlineLane::InlineLane(const config::ModelConfig& config, Traits traits, const SchedulerOptions& options,
                       HeldThreads& held_threads)
    : gate_(MakeGate(config, traits.computes_elsewhere, options)),
      limit_ns_(gate_.service_ns_max()),
      stay_ns_max_(StayNsMax(config, traits, limit_ns_)),
      begins_only_(traits.returns_at_once && gate_.service_ns_max() > 0),
      looks_for_more_(traits.computes_elsewhere),
      held_threads_(held_threads) {}

base::Executor* InlineLane::LoopHere() {
  const base::Turn* const turn = base::Turn::Current();
  return turn != nullptr && turn->executes() ? turn->executor() : nullptr;
}

bool InlineLane::MayRun(const QueueEntry& entry) const {
  const core::QueuedRequest& queued = entry.queued;
  if (!queued.request->parameters.empty()) return false;
  if (const base::Turn* turn = base::Turn::Current(); turn != nullptr && !turn->executes()) return false;
  // A request of many parts would keep the thread for as long as all of them.
  if (queued.parts != nullptr || held_threads_.any()) return false;
  return Lets(entry.rows(), queued.request->InputBytes());
}

bool InlineLane::MayRun(const FormedBatch& batch) const {
  if (batch.execution != nullptr && batch.execution->member(0).evicted) return false;
  return batch.may_run_inline && !held_threads_.any() && Lets(batch.record.rows, batch.bytes);
}

bool InlineLane::GathersFor(const QueueEntry& entry, base::Turn* turn) const {
  if (turn == nullptr) return false;
  if (!turn->more() && !Gathers(*turn) && !looks_for_more_) return false;
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

void InlineLane::Watch(int64_t now_ns) {
  if (due_ns_ == 0) due_ns_ = now_ns + HeldThreads::kHeldNs;
}

int64_t InlineLane::FindHeld(const std::vector<std::unique_ptr<InstanceWorker>>& workers, int64_t now_ns) {
  if (due_ns_ == 0 || due_ns_ > now_ns) return 0;
  due_ns_ = 0;
  int64_t longest_ns = 0;
  for (const auto& worker : workers) {
    const int64_t since_ns = worker->inline_run.since_ns.load(std::memory_order_relaxed);
    if (since_ns == 0) continue;
    const int64_t held_ns = now_ns - since_ns;
    if (held_ns >= HeldThreads::NextNs(worker->said_held_ns)) {
      if (worker->said_held_ns == 0) {
        held_threads_.Add();
        gate_.Ban();
      }
      worker->said_held_ns = held_ns;
      longest_ns = std::max(longest_ns, held_ns);
    }
    due_ns_ = Earlier(due_ns_, since_ns + HeldThreads::NextNs(worker->said_held_ns));
  }
  return longest_ns;
}

bool InlineLane::LetGo(InstanceWorker& worker) {
  if (std::exchange(worker.said_held_ns, 0) == 0) return false;
  held_threads_.Remove();
  return true;
}

}  // namespace inferd::scheduling
