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

// After a thread could not be started.
constexpr int64_t kThreadRetryNs = 10'000'000;
// How long requests wait for one.
constexpr int64_t kThreadPatienceNs = 500'000'000;

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
    source_->OnTime(now_ns, dropped);
    if (thread_retry_ns_ <= now_ns) thread_retry_ns_ = 0;
    if (held_ns_ != 0 && held_ns_ <= now_ns) newly_held_ns = FindHeld(now_ns);
    WakeIfReady(now_ns, dropped);
    if (no_thread = LacksThreads(now_ns); no_thread) source_->DropAll(now_ns, dropped);
    next_ns = armed_ns_ = Earlier(Earlier(source_->due_ns(), thread_retry_ns_), held_ns_);
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

void InstanceScheduler::WakeIfReady(int64_t now_ns, DroppedEntries& dropped) {
  if (idle_.empty()) {
    source_->FormAhead(workers_.size(), now_ns, dropped);
  } else if (source_->Ready(woken_, now_ns, dropped)) {
    InstanceWorker& worker = *idle_.back();
    idle_.pop_back();
    WakeIdle(worker);
  }
  ArmAt(source_->due_ns());
}

// False: it stays idle, as there is no thread for it; this is tried again soon.
bool InstanceScheduler::WakeIdle(InstanceWorker& worker) {
  ++woken_;
  if (Signal(worker)) return true;
  --woken_;
  idle_.push_back(&worker);
  const int64_t now_ns = services_.clock.NowNs();
  if (no_thread_ns_ == 0) no_thread_ns_ = now_ns;
  thread_retry_ns_ = now_ns + kThreadRetryNs;
  ArmAt(thread_retry_ns_);
  return false;
}

// Whether what waits has waited for long enough for a thread that cannot be started, and no other will come for it.
bool InstanceScheduler::LacksThreads(int64_t now_ns) {
  if (no_thread_ns_ == 0 || now_ns - no_thread_ns_ < kThreadPatienceNs || source_->empty()) return false;
  return std::ranges::none_of(workers_, [](const auto& worker) { return worker->thread.joinable(); });
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

// Those that have unfinished executions are taken last.
void InstanceScheduler::MakeIdle(InstanceWorker& worker) {
  idle_.insert(worker.unfinished == 0 ? idle_.end() : idle_.begin(), &worker);
}

FormedBatch InstanceScheduler::Form(InstanceWorker& worker, Place place, int64_t now_ns, DroppedEntries& dropped) {
  FormedBatch batch;
  if (!worker.warmups.empty()) {
    batch = source_->FormLone(std::move(worker.warmups.front()), core::BatchReason::kNotBatching);
    worker.warmups.pop_front();
  } else {
    batch = source_->Take(place == Place::kWorker ? nullptr : &gate_, now_ns, dropped);
  }
  if (batch.execution != nullptr) {
    // This instance may have been woken for what waits: another one is to have that.
    WakeIfReady(now_ns, dropped);
    return batch;
  }
  ArmAt(source_->due_ns());
  if (worker.place.claim->held()) worker.place.claim->Release(0);
  MakeIdle(worker);
  return {};
}

}  // namespace inferd::scheduling
