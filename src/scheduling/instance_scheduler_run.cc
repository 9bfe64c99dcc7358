#include <algorithm>
#include <utility>

#include "base/system/cpu_cores.h"
#include "base/thread_pool.h"
#include "core/model_version.h"
#include "scheduling/held_threads.h"
#include "scheduling/instance_scheduler.h"
#include "scheduling/thread_usage.h"

// The part of the InstanceScheduler that runs: what the instances' threads do, and connections' threads in their place.

namespace inferd::scheduling {

namespace {

// After so many executions in a row a loop goes back to its connections first.
constexpr int kInlineRunsMax = 8;

}  // namespace

void InstanceScheduler::RunWorker(InstanceWorker& worker) {
  base::SetThreadName(parts_.version.id.name);
  // Where nobody says otherwise, a thread is where the one was that made it: another instance's, perhaps. The cores
  // were there when the version was loaded. Should they be gone, it runs anywhere.
  if (std::ranges::any_of(workers_, [](const auto& any) { return !any->place.cores.empty(); })) {
    const base::CpuCores& cores = worker.place.cores.empty() ? services_.host_policies.allowed() : worker.place.cores;
    static_cast<void>(base::PinThread(cores).ok());
  }
  for (;;) {
    {
      base::MutexLock lock(mutex_);
      while (!worker.woken && !stopping_) worker.wake.Wait(mutex_);
      if (!worker.woken) return;
    }
    RunWoken(worker);
  }
}

bool InstanceScheduler::RunWoken() {
  InstanceWorker* woken = nullptr;
  {
    base::MutexLock lock(mutex_);
    for (auto& worker : workers_) {
      if (worker->woken) woken = worker.get();
    }
  }
  if (woken == nullptr) return false;
  RunWoken(*woken);
  return true;
}

void InstanceScheduler::RunWoken(InstanceWorker& worker) {
  FormedBatch batch;
  DroppedEntries dropped;
  {
    base::MutexLock lock(mutex_);
    worker.woken = false;
    batch = std::exchange(worker.handed_over, {});
    if (batch.execution == nullptr) {
      --woken_;
      ResourceArbiter::Claim& claim = *worker.place.claim;
      if (!claim.free() && !claim.TryAcquire()) {
        // Another instance may have what it needs.
        WakeIfReady(services_.clock.NowNs(), dropped);
        lock.unlock();
        refusals_.Answer(std::exchange(dropped, {}));
        const int64_t asked_ns = services_.clock.NowNs();
        const bool acquired = claim.Acquire();
        lock.lock();
        figures_.RecordResourceWait(services_.clock.NowNs() - asked_ns);
        if (!acquired) return idle_.push_back(&worker);
      }
      batch = Form(worker, Place::kWorker, services_.clock.NowNs(), dropped);
    }
  }
  refusals_.Answer(std::move(dropped));
  while (batch.execution != nullptr) batch = RunOne(worker, batch, Place::kWorker);
}

// This thread has handed on all it had.
void InstanceScheduler::EndTurn(const base::Turn& turn) {
  FormedBatch batch;
  InstanceWorker* worker = nullptr;
  Place place = Place::kCaller;
  DroppedEntries dropped;
  {
    base::MutexLock lock(mutex_);
    std::erase(gathering_, &turn);
    // If all instances are busy, the first that is done takes what waits.
    if (source_->empty() || idle_.empty()) return;
    const int64_t now_ns = services_.clock.NowNs();
    InstanceWorker& last = *idle_.back();
    if (last.place.cores.empty() && (last.place.claim->free() || last.place.claim->TryAcquire())) {
      idle_.pop_back();
      batch = Form(last, place, now_ns, dropped);
      place = CallerPlace(batch.record.rows);
      if (batch.execution != nullptr && (MayRunHere(batch) || !HandOver(last, batch))) {
        worker = &last;
        WatchInline(now_ns);
      }
    } else {
      WakeIfReady(now_ns, dropped);
    }
  }
  refusals_.Answer(std::move(dropped));
  if (worker != nullptr) RunInline(*worker, batch, place);
}

void InstanceScheduler::RunInline(InstanceWorker& worker, FormedBatch batch, Place place) {
  batch = RunOne(worker, batch, place);
  for (int runs = 1; batch.execution != nullptr; ++runs) {
    {
      base::MutexLock lock(mutex_);
      if (!MayRunHere(batch) && HandOver(worker, batch)) return;
      place = CallerPlace(batch.record.rows);
    }
    if (runs >= kInlineRunsMax && PutOff(worker, batch, place)) return;
    batch = RunOne(worker, batch, place);
  }
}

// To this thread's next turn; false: it has none, nor is there anybody else.
bool InstanceScheduler::PutOff(InstanceWorker& worker, const FormedBatch& batch, Place place) {
  if (base::Turn* const turn = base::Turn::Current()) {
    turn->AtNextEnd([this, &worker, batch, place, pin = batch.execution->member(0).queued.version] {
      RunInline(worker, batch, place);
    });
    return true;
  }
  base::MutexLock lock(mutex_);
  return HandOver(worker, batch);
}

bool InstanceScheduler::MayRunHere(const FormedBatch& batch) const {
  return batch.may_run_inline && !services_.held_threads.any() && gate_.Allows(batch.record.rows, batch.bytes);
}

// To the instance's own thread; false: there is none to be had.
bool InstanceScheduler::HandOver(InstanceWorker& worker, const FormedBatch& batch) {
  worker.handed_over = batch;
  if (Signal(worker)) return true;
  worker.handed_over = {};
  return false;
}

bool InstanceScheduler::Advance(InstanceWorker& worker, FormedBatch& batch, int64_t now_ns, Place place) {
  BatchExecution& execution = *batch.execution;
  if (batch.begun_ns != 0) {
    worker.instance->Resume(execution);
    return true;
  }
  execution.SetEviction(place == Place::kWorker ? nullptr : &worker.evicted_ns);
  if (!execution.Begin(now_ns)) return true;
  if (place == Place::kWorker) {
    worker.instance->Execute(execution);
    return true;
  }
  worker.inline_turn.store(base::Turn::Current(), std::memory_order_relaxed);
  worker.inline_since_ns.store(now_ns, std::memory_order_relaxed);
  const bool over = worker.instance->TryExecute(execution);
  worker.inline_since_ns.store(0, std::memory_order_relaxed);
  if (!over) batch.begun_ns = now_ns;
  return over;
}

std::optional<InstanceScheduler::Elapsed> InstanceScheduler::Execute(InstanceWorker& worker, FormedBatch& batch,
                                                                     Place place) {
  const ThreadUsage before = place == Place::kWatchedCaller ? ThreadUsage::Now() : ThreadUsage();
  const int64_t now_ns = services_.clock.NowNs();
  if (!Advance(worker, batch, now_ns, place)) {
    base::MutexLock lock(mutex_);
    if (HandOver(worker, batch)) return std::nullopt;
    lock.unlock();
    // There is no other thread to be had.
    Advance(worker, batch, now_ns, place);
  }
  Elapsed elapsed{.started_ns = batch.begun_ns != 0 ? batch.begun_ns : now_ns, .ended_ns = services_.clock.NowNs()};
  elapsed.blamed_ns = elapsed.ended_ns - elapsed.started_ns;
  if (place == Place::kWatchedCaller && elapsed.blamed_ns >= gate_limit_ns_) {
    elapsed.blamed_ns = BlamedNs(elapsed.blamed_ns, before, ThreadUsage::Now());
  }
  return elapsed;
}

FormedBatch InstanceScheduler::RunOne(InstanceWorker& worker, FormedBatch batch, Place place) {
  // Destroyed last, outside the lock: this may end with it.
  const std::shared_ptr<const core::ModelVersion> pin = batch.execution->member(0).queued.version;
  if (place != Place::kWorker) parts_.version.statistics->AddInlineExecution();
  batch.on_loop = place != Place::kWorker || batch.begun_ns != 0;
  const std::optional<Elapsed> executed = Execute(worker, batch, place);
  if (!executed.has_value()) return {};
  const Elapsed& elapsed = *executed;
  std::unique_ptr<BatchExecution> returned = TakeBack(worker, batch, elapsed.started_ns);
  DroppedEntries dropped;
  bool held = false;
  bool full = false;
  {
    base::MutexLock lock(mutex_);
    held = std::exchange(worker.said_held_ns, 0) > 0;
    if (held) services_.held_threads.Remove();
    gate_.Record(batch.record.rows, elapsed.blamed_ns, batch.bytes, batch.on_loop);
    if (returned != nullptr) {
      Record(batch, worker, elapsed.started_ns, elapsed.ended_ns);
      Recycle(std::move(returned), worker.remains);
    }
    batch = {};
    full = worker.full = worker.unfinished >= UnfinishedMax(worker);
    if (!full && worker.place.claim->free()) batch = Form(worker, place, elapsed.ended_ns, dropped);
  }
  if (!full && !worker.place.claim->free()) batch = FormWithClaim(worker, elapsed, place, dropped);
  if (held) services_.held_threads.SayReleased(pin->id(), elapsed.ended_ns - elapsed.started_ns);
  refusals_.Answer(std::move(dropped));
  return batch;
}

std::unique_ptr<BatchExecution> InstanceScheduler::TakeBack(InstanceWorker& worker, const FormedBatch& batch,
                                                            int64_t started_ns) {
  BatchExecution* const execution = batch.execution;
  if (!execution->Finished()) {
    {
      base::MutexLock lock(mutex_);
      ++worker.unfinished;
    }
    const auto finished = [this, &worker, batch, started_ns](std::unique_ptr<BatchExecution> it) {
      OnFinished(worker, batch, started_ns, std::move(it));
    };
    if (execution->Leave(finished)) return nullptr;
    base::MutexLock lock(mutex_);
    --worker.unfinished;
  }
  execution->Clear(worker.remains);
  for (auto& entry : worker.remains.entries) *entry = {};
  return std::unique_ptr<BatchExecution>(execution);
}

void InstanceScheduler::OnFinished(InstanceWorker& worker, FormedBatch batch, int64_t started_ns,
                                   std::unique_ptr<BatchExecution> execution) {
  // Destroyed last, outside the lock: this may end with it.
  const std::shared_ptr<const core::ModelVersion> pin = execution->member(0).queued.version;
  BatchExecution::Remains remains;
  execution->Clear(remains);
  for (auto& entry : remains.entries) *entry = {};
  const int64_t now_ns = services_.clock.NowNs();
  DroppedEntries dropped;
  {
    base::MutexLock lock(mutex_);
    --worker.unfinished;
    Record(batch, worker, started_ns, now_ns);
    Recycle(std::move(execution), remains);
    if (std::exchange(worker.full, false)) {
      if (worker.place.claim->held()) worker.place.claim->Release(now_ns - started_ns);
      if (worker.warmups.empty()) {
        MakeIdle(worker);
      } else {
        WakeIdle(worker);
      }
    }
    WakeIfReady(now_ns, dropped);
  }
  refusals_.Answer(std::move(dropped));
}

// The claim is held, and is to be kept for the next batch if there is one and it is this instance's turn.
FormedBatch InstanceScheduler::FormWithClaim(InstanceWorker& worker, const Elapsed& elapsed, Place place,
                                             DroppedEntries& dropped) {
  ResourceArbiter::Claim& claim = *worker.place.claim;
  const int64_t service_ns = elapsed.ended_ns - elapsed.started_ns;
  base::MutexLock lock(mutex_);
  if (source_->empty() && worker.warmups.empty()) {
    claim.Release(service_ns);
    idle_.push_back(&worker);
    return {};
  }
  if (place != Place::kWorker && !claim.TryRenew(service_ns)) {
    WakeIdle(worker);
    return {};
  }
  if (place == Place::kWorker) {
    lock.unlock();
    const bool renewed = claim.Renew(service_ns);
    lock.lock();
    figures_.RecordResourceWait(services_.clock.NowNs() - elapsed.ended_ns);
    if (!renewed) {
      idle_.push_back(&worker);
      return {};
    }
  }
  return Form(worker, place, services_.clock.NowNs(), dropped);
}

void InstanceScheduler::Record(FormedBatch& batch, const InstanceWorker& worker, int64_t started_ns,
                               int64_t finished_ns) {
  const int64_t service_ns = finished_ns - started_ns;
  batch.record.oldest_waited_ns = started_ns - batch.oldest_ns;
  batch.record.service_ns = service_ns;
  batch.record.instance = worker.ordinal;
  batch.record.on_loop = batch.on_loop;
  figures_.Record(started_ns, batch.record);
  source_->RecordFinished(batch);
}

void InstanceScheduler::Recycle(std::unique_ptr<BatchExecution> execution, BatchExecution::Remains& remains) {
  memory_.Recycle(std::move(execution), remains.entries);
  if (!remains.retries.empty()) source_->PushAgain(remains.retries);
}

}  // namespace inferd::scheduling
