#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "scheduling/held_threads.h"
#include "scheduling/instance_scheduler.h"
#include "scheduling/queue/deadline_watch.h"

// The part of the InstanceScheduler that decides which instance runs what, and when.

namespace inferd::scheduling {

namespace {

// How much later than its time an expired request may leave the queue.
constexpr int64_t kExpiryPauseNs = 250'000;
// After a thread could not be started.
constexpr int64_t kThreadRetryNs = 10'000'000;
// How long requests wait for one.
constexpr int64_t kThreadPatienceNs = 500'000'000;

bool IsComplete(core::BatchReason reason) {
  return reason != core::BatchReason::kNoneWaiting && reason != core::BatchReason::kNotBatching;
}

// Others of its kind may have been left behind.
bool IsFull(core::BatchReason reason) {
  return reason == core::BatchReason::kFull || reason == core::BatchReason::kPreferredSize ||
         reason == core::BatchReason::kCautious;
}

}  // namespace

void InstanceScheduler::ArmAt(int64_t at_ns) {
  if (at_ns == 0 || (armed_ns_ != 0 && armed_ns_ <= at_ns)) return;
  armed_ns_ = at_ns;
  services_.deadlines.Arm(deadline_id_, at_ns);
}

int64_t InstanceScheduler::OnTime() {
  const int64_t now_ns = services_.clock.NowNs();
  DroppedEntries dropped;
  int64_t next_ns = 0;
  int64_t newly_held_ns = 0;
  bool no_thread = false;
  {
    base::MutexLock lock(mutex_);
    armed_ns_ = 0;
    if (sweep_ns_ != 0 && sweep_ns_ <= now_ns) {
      waiting_.Expire(now_ns, dropped);
      sweep_ns_ = waiting_.NextExpiryNs(now_ns, kCancelSweepNs);
      // Many that expire one by one are not worth a look at all of them each time.
      if (sweep_ns_ != 0) sweep_ns_ = std::max(sweep_ns_, now_ns + kExpiryPauseNs);
    }
    if (company_ns_ <= now_ns) company_ns_ = 0;
    if (held_ns_ != 0 && held_ns_ <= now_ns) newly_held_ns = FindHeld(now_ns);
    WakeIfReady(now_ns, dropped);
    if (no_thread = LacksThreads(now_ns); no_thread) DropWhatWaits(now_ns, dropped);
    next_ns = armed_ns_ = Earlier(Earlier(sweep_ns_, company_ns_), held_ns_);
  }
  if (no_thread) services_.held_threads.SayNone(parts_.version.id);
  if (newly_held_ns > 0) services_.held_threads.SayHeld(parts_.version.id, newly_held_ns);
  refusals_.Answer(std::move(dropped));
  return next_ns;
}

// An execution is about to begin on a connections' thread.
void InstanceScheduler::WatchInline(int64_t now_ns) {
  if (held_ns_ != 0) return;
  held_ns_ = now_ns + HeldThreads::kHeldNs;
  ArmAt(held_ns_);
}

// How long the longest has held its thread of which that is to be said now; 0: none. Sets when to look again. What is
// found for the first time is to leave that thread, and the model does not come back to one.
int64_t InstanceScheduler::FindHeld(int64_t now_ns) {
  held_ns_ = 0;
  int64_t longest_ns = 0;
  for (auto& worker : workers_) {
    const int64_t since_ns = worker->inline_since_ns.load(std::memory_order_relaxed);
    if (since_ns == 0) continue;
    const int64_t held_ns = now_ns - since_ns;
    if (held_ns >= HeldThreads::NextNs(worker->said_held_ns)) {
      if (worker->said_held_ns == 0) {
        services_.held_threads.Add();
        worker->evicted_ns.store(since_ns, std::memory_order_relaxed);
        gate_.Ban();
      }
      worker->said_held_ns = held_ns;
      longest_ns = std::max(longest_ns, held_ns);
    }
    held_ns_ = Earlier(held_ns_, since_ns + HeldThreads::NextNs(worker->said_held_ns));
  }
  return longest_ns;
}

void InstanceScheduler::LimitSharing() {
  rules_.requests_max = sharing_.requests_max();
  if (!rules_.batching || !sharing_.stopped()) return;
  rules_ = BatchRules();
  rules_.requests_max = 1;
  tuner_.reset();
}

std::string InstanceScheduler::HeldBy() const {
  std::string text;
  for (const auto& worker : workers_) {
    if (worker->inline_since_ns.load(std::memory_order_relaxed) == 0) continue;
    const base::Turn* turn = worker->inline_turn.load(std::memory_order_relaxed);
    text += (text.empty() ? "model '" : ", model '") + parts_.version.id.name + "' version " +
            std::to_string(parts_.version.id.version);
    if (turn != nullptr) text += " on " + turn->name();
  }
  return text;
}

void InstanceScheduler::Retune(int64_t now_ns) {
  LimitSharing();
  if (!tuner_.has_value()) return;
  const BatchTuner::Choice& choice = tuner_->choice(now_ns);
  tuning_explanation_ = choice.explanation;
  // What is written goes before what was measured.
  if (config_.dynamic_batching.has_value() && config_.dynamic_batching->max_queue_delay_us > 0) return;
  rules_.delay_ns = choice.delay_ns;
  if (rules_.preferred_rows.empty()) rules_.enough_rows = choice.rows;
}

BatchDecision InstanceScheduler::Decide(int64_t now_ns, DroppedEntries& dropped) {
  Retune(now_ns);
  const WaitingSummary summary = waiting_.Summarize(now_ns, figures_.mean_service_ns(), dropped);
  // Once, whether or not all of them stay.
  if (summary.requests >= rules_.hold_until_requests) rules_.hold_until_requests = 0;
  const BatchDecision decision = DecideBatch(rules_, summary, now_ns, figures_.mean_service_ns());
  if (!decision.begin) {
    company_ns_ = decision.wait_until_ns;
    ArmAt(company_ns_);
  }
  return decision;
}

void InstanceScheduler::WakeIfReady(int64_t now_ns, DroppedEntries& dropped) {
  if (waiting_.empty()) return;
  if (idle_.empty()) return FormAhead(now_ns, dropped);
  // Instances that were woken already are about to look.
  const int64_t waits = batching_ ? waiting_.rows() : static_cast<int64_t>(waiting_.size());
  const int64_t shares = rules_.requests_max == 0 ? rows_max_ : std::min(rows_max_, rules_.requests_max);
  if (waits <= woken_ * shares || !Decide(now_ns, dropped).begin) return;
  InstanceWorker& worker = *idle_.back();
  idle_.pop_back();
  WakeIdle(worker);
}

// False: it stays idle, as there is no thread for it; this is tried again soon.
bool InstanceScheduler::WakeIdle(InstanceWorker& worker) {
  ++woken_;
  if (Signal(worker)) return true;
  --woken_;
  idle_.push_back(&worker);
  const int64_t now_ns = services_.clock.NowNs();
  if (no_thread_ns_ == 0) no_thread_ns_ = now_ns;
  company_ns_ = now_ns + kThreadRetryNs;
  ArmAt(company_ns_);
  return false;
}

// Whether what waits has waited for long enough for a thread that cannot be started, and no other will come for it.
bool InstanceScheduler::LacksThreads(int64_t now_ns) {
  if (no_thread_ns_ == 0 || now_ns - no_thread_ns_ < kThreadPatienceNs || waiting_.empty()) return false;
  return std::ranges::none_of(workers_, [](const auto& worker) { return worker->thread.joinable(); });
}

void InstanceScheduler::DropWhatWaits(int64_t now_ns, DroppedEntries& dropped) {
  std::vector<std::unique_ptr<QueueEntry>> taken;
  while (!waiting_.empty()) waiting_.Take(rows_max_, 0, now_ns, taken, dropped);
  for (auto& entry : taken) dropped.emplace_back(std::move(entry), QueueVerdict::kNoThread);
}

// Under the lock: once it is released, the worker may finish the request and let the last pin of the version go. False:
// there is no thread to be had.
bool InstanceScheduler::Signal(InstanceWorker& worker) {
  worker.woken = true;
  worker.wake.NotifyOne();
  if (worker.thread.joinable() || !options_.threads) return true;
  try {
    worker.thread = std::thread([this, &worker] { RunWorker(worker); });
    no_thread_ns_ = 0;
    return true;
  } catch (const std::system_error&) {
    worker.woken = false;
    return false;
  }
}

// Only what would not grow by waiting for an instance.
void InstanceScheduler::FormAhead(int64_t now_ns, DroppedEntries& dropped) {
  if (!config_.eager_batching || ahead_.size() >= workers_.size() || waiting_.empty()) return;
  const BatchDecision decision = Decide(now_ns, dropped);
  if (!decision.begin || !IsComplete(decision.reason)) return;
  FormedBatch batch = TakeBatch(decision, Place::kWorker, now_ns, dropped);
  if (batch.execution != nullptr) ahead_.push_back(batch);
}

// Those that have unfinished executions are taken last.
void InstanceScheduler::MakeIdle(InstanceWorker& worker) {
  idle_.insert(worker.unfinished == 0 ? idle_.end() : idle_.begin(), &worker);
}

bool InstanceScheduler::NothingWaits(const InstanceWorker& worker) const {
  return waiting_.empty() && ahead_.empty() && worker.warmups.empty();
}

FormedBatch InstanceScheduler::Form(InstanceWorker& worker, Place place, int64_t now_ns, DroppedEntries& dropped) {
  FormedBatch batch;
  if (!worker.warmups.empty()) {
    taken_.push_back(std::move(worker.warmups.front()));
    worker.warmups.pop_front();
    batch = MakeBatch(core::BatchReason::kNotBatching);
    // This instance may have been woken for what waits: another one is to have that.
    WakeIfReady(now_ns, dropped);
    return batch;
  }
  if (!ahead_.empty()) {
    batch = ahead_.front();
    ahead_.pop_front();
  }
  while (batch.execution == nullptr && !waiting_.empty()) {
    const BatchDecision decision = Decide(now_ns, dropped);
    if (!decision.begin) break;
    batch = TakeBatch(decision, place, now_ns, dropped);
  }
  if (batch.execution != nullptr) {
    WakeIfReady(now_ns, dropped);
    return batch;
  }
  if (worker.place.claim->held()) worker.place.claim->Release(0);
  MakeIdle(worker);
  return {};
}

// No execution: all of those gave up.
FormedBatch InstanceScheduler::TakeBatch(const BatchDecision& decision, Place place, int64_t now_ns,
                                         DroppedEntries& dropped) {
  const int64_t rows = place == Place::kWorker ? decision.rows : gate_.RowsToTake(decision.rows);
  const bool more = waiting_.Take(rows, decision.requests, now_ns, taken_, dropped);
  if (taken_.empty()) return {};
  parts_.version.statistics->AddPending(-static_cast<int64_t>(taken_.size()));
  FormedBatch batch = MakeBatch(decision.reason);
  if (rows < decision.rows) {
    batch.record.reason = core::BatchReason::kQuickSize;
  } else if (more && batch.record.rows < rows) {
    batch.record.reason = core::BatchReason::kFull;
  }
  if (batching_) {
    const bool full = IsFull(batch.record.reason) || !rules_.batching;
    entrance_.admission().RecordBatch(running_, full ? batch.record.left_waiting : 0);
  }
  return batch;
}

// Of what was taken.
FormedBatch InstanceScheduler::MakeBatch(core::BatchReason reason) {
  FormedBatch batch = memory_.Form(taken_, reason);
  batch.waited = rules_.delay_ns > 0;
  batch.record.left_waiting = static_cast<int64_t>(waiting_.size());
  running_ += batch.record.requests;
  return batch;
}

}  // namespace inferd::scheduling
