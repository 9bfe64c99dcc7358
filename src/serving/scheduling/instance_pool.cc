#include "serving/scheduling/instance_pool.h"

#include <algorithm>
#include <utility>

#include "base/system/cpu_cores.h"
#include "base/thread_pool.h"
#include "serving/core/model_version.h"
#include "serving/scheduling/queue/deadline_watch.h"
#include "serving/scheduling/thread_usage.h"

namespace inferd::scheduling {

namespace {

// After this many executions in a row, a loop first serves its connections again.
constexpr int kInlineRunsMax = 8;

// The maximum time of executions for which an instance takes the next one in advance. The next one can then no longer
// be cancelled or overtaken, which does not matter for so short a time.
constexpr int64_t kShortNs = 1'000'000;

// If requests may share an execution, it is better to keep them in the queue.
InstanceCrew::Limits LimitsOf(const core::SchedulerParts& version) {
  const bool alone = !version.config->dynamic_batching.has_value() && !version.config->sequence_batching.has_value();
  return {.unfinished_max = std::max(version.model->unfinished_executions_max(), 1),
          .ahead_max = alone ? version.model->executions_ahead() : 0};
}

}  // namespace

InstancePool::InstancePool(Parts parts)
    : version_(parts.version),
      services_(parts.services),
      refusals_(parts.refusals),
      source_(parts.source),
      figures_(parts.figures),
      memory_(parts.memory),
      lane_(*parts.version.config,
            {.computes_elsewhere = parts.version.model->computes_elsewhere(),
             .returns_at_once = parts.version.model->returns_at_once(),
             .decoupled = parts.version.signature->decoupled,
             .only_waits = parts.version.model->compute_threads() == 0},
            parts.options, parts.services.held_threads),
      crew_(std::move(parts.version.instances), std::move(parts.places), LimitsOf(parts.version), parts.options.threads,
            parts.services.clock, [this](InstanceWorker& worker) { RunWorker(worker); }),
      workers_(crew_.workers()),
      gate_limit_ns_(lane_.limit_ns()),
      is_movable_(lane_.is_movable()) {
  for (const auto& worker : workers_) lane_.SetUp(*worker);
  holder_id_ = services_.held_threads.AddHolder([this] { return DescribeInline(workers_, version_.id); });
  deadline_id_ = services_.deadlines.Add([this] { return OnTime(); });
}

InstancePool::~InstancePool() {
  services_.deadlines.Remove(deadline_id_);
  services_.held_threads.RemoveHolder(holder_id_);
  for (const auto& worker : workers_) worker->place.claim->Cancel();
  {
    base::MutexLock lock(mutex_);
    crew_.EndAll();
  }
  crew_.JoinAll();
}

void InstancePool::ArmAt(int64_t at_ns) {
  if (at_ns == 0 || (armed_ns_ != 0 && armed_ns_ <= at_ns)) return;
  armed_ns_ = at_ns;
  services_.deadlines.Arm(deadline_id_, at_ns);
}

int64_t InstancePool::OnTime() {
  const int64_t now_ns = services_.clock.NowNs();
  DroppedEntries dropped;
  int64_t next_ns = 0;
  InlineLane::Held held;
  bool no_thread = false;
  {
    base::MutexLock lock(mutex_);
    armed_ns_ = 0;
    source_.OnTime(now_ns, dropped);
    crew_.OnTime(now_ns);
    held = lane_.FindHeld(workers_, now_ns);
    WakeIfReady(now_ns, dropped);
    no_thread = !source_.empty() && crew_.LacksThreads(now_ns);
    if (no_thread) source_.DropAll(now_ns, dropped);
    next_ns = armed_ns_ = Earlier(Earlier(source_.due_ns(), crew_.due_ns()), lane_.due_ns());
  }
  if (no_thread) services_.held_threads.SayNone(version_.id);
  if (held.held_ns > 0) services_.held_threads.SayHeld(version_.id, held.held_ns, held.moved);
  refusals_.Answer(std::move(dropped));
  return next_ns;
}

void InstancePool::Report(core::SchedulerReport& report) const {
  report.instances = static_cast<int>(crew_.size());
  report.busy_instances = static_cast<int>(crew_.size() - crew_.idle());
  report.inline_held_ns = LongestInlineNs(workers_, services_.clock.NowNs());
  report.moved_executions = std::ranges::count_if(
      workers_, [](const auto& worker) { return worker->inline_run.moved.load(std::memory_order_relaxed); });
  report.inline_open = lane_.open();
}

bool InstancePool::WaitsForTurn(const QueueEntry& entry) {
  base::Turn* const turn = base::Turn::Current();
  if (!MayRunOnNextIdle() || !lane_.GathersFor(entry, turn)) return false;
  if (lane_.BeginGathering(*turn)) turn->AtEnd([this, turn, pin = entry.queued.version] { EndTurn(*turn); });
  return true;
}

std::optional<core::BatchReason> InstancePool::StartsLone(const QueueEntry& entry) {
  if (!MayRunOnNextIdle() || !lane_.MayRun(entry)) return std::nullopt;
  if (lane_.StepsOn(base::Turn::Current())) return std::nullopt;
  const std::optional<core::BatchReason> reason = source_.BeginsAtOnce(entry);
  ResourceArbiter::Claim& claim = *crew_.NextIdle().place.claim;
  if (reason.has_value() && !claim.free() && !claim.TryAcquire()) return std::nullopt;
  return reason;
}

InstanceWorker& InstancePool::TakeLone(const FormedBatch& batch) {
  lane_.Watch(batch.oldest_ns);
  ArmAt(lane_.due_ns());
  InstanceWorker& worker = crew_.TakeIdle();
  worker.lone = batch;
  worker.lone_place = lane_.PlaceOf(batch.record.rows);
  return worker;
}

void InstancePool::WarmUp(std::unique_ptr<QueueEntry> entry, DroppedEntries& dropped) {
  InstanceWorker& worker = crew_.NextToWarmUp();
  worker.warmups.push_back(std::move(entry));
  if (!crew_.TakeIdle(worker) || Wake(worker)) return;
  for (auto& warmup : worker.warmups) {
    version_.statistics->AddPending(1);
    dropped.emplace_back(std::move(warmup), QueueVerdict::kNoThread);
  }
  worker.warmups.clear();
}

void InstancePool::WakeIfReady(int64_t now_ns, DroppedEntries& dropped) {
  if (crew_.idle() == 0) {
    source_.FormAhead(crew_.size(), now_ns, dropped);
  } else if (source_.Ready(crew_.woken(), now_ns, dropped)) {
    Wake(crew_.TakeIdle());
  }
  ArmForSource();
}

bool InstancePool::Wake(InstanceWorker& worker) {
  if (crew_.Wake(worker)) return true;
  ArmAt(crew_.due_ns());
  return false;
}

FormedBatch InstancePool::Form(InstanceWorker& worker, Place place, int64_t now_ns, DroppedEntries& dropped) {
  FormedBatch batch;
  if (!worker.warmups.empty()) {
    batch = source_.FormLone(std::move(worker.warmups.front()), core::BatchReason::kNotBatching);
    worker.warmups.pop_front();
  } else {
    batch = source_.Take(lane_.BoundOf(place), now_ns, dropped);
  }
  if (batch.execution != nullptr) {
    // This instance may have been woken for queued requests: wake another one for those.
    WakeIfReady(now_ns, dropped);
    return batch;
  }
  ArmForSource();
  if (worker.place.claim->held()) worker.place.claim->Release(0);
  crew_.MakeIdle(worker);
  return {};
}

// Keeps the claim, which is held, for the next execution if there is one and it is this instance's turn.
FormedBatch InstancePool::FormWithClaim(InstanceWorker& worker, const Elapsed& elapsed, Place place,
                                        DroppedEntries& dropped) {
  ResourceArbiter::Claim& claim = *worker.place.claim;
  const int64_t service_ns = elapsed.ended_ns - elapsed.started_ns;
  base::MutexLock lock(mutex_);
  if (source_.empty() && worker.warmups.empty()) {
    claim.Release(service_ns);
    crew_.MakeIdle(worker);
    return {};
  }
  if (place != Place::kWorker && !claim.TryRenew(service_ns)) {
    Wake(worker);
    return {};
  }
  if (place == Place::kWorker) {
    lock.unlock();
    const bool renewed = claim.Renew(service_ns);
    lock.lock();
    figures_.RecordResourceWait(services_.clock.NowNs() - elapsed.ended_ns);
    if (!renewed) {
      crew_.MakeIdle(worker);
      return {};
    }
  }
  return Form(worker, place, services_.clock.NowNs(), dropped);
}

void InstancePool::RunWorker(InstanceWorker& worker) {
  base::SetThreadName(version_.id.name);
  // A new thread inherits its creator's CPU affinity, which may be another instance's. The cores existed when the
  // version was loaded. If they no longer do, the thread runs anywhere.
  if (std::ranges::any_of(workers_, [](const auto& any) { return !any->place.cores.empty(); })) {
    const base::CpuCores& cores = worker.place.cores.empty() ? services_.host_policies.allowed() : worker.place.cores;
    static_cast<void>(base::PinThread(cores).ok());
  }
  while (RunWoken(worker)) {
  }
}

bool InstancePool::RunWoken() {
  InstanceWorker* woken = nullptr;
  {
    base::MutexLock lock(mutex_);
    woken = crew_.FindSignalled();
  }
  if (woken == nullptr) return false;
  return RunWoken(*woken);
}

bool InstancePool::RunWoken(InstanceWorker& worker) {
  Run run{.worker = &worker, .batch = {}, .place = Place::kWorker};
  DroppedEntries dropped;
  {
    base::MutexLock lock(mutex_);
    while (!worker.woken && !worker.ending) worker.wake.Wait(mutex_);
    if (!worker.woken) return false;
    worker.woken = false;
    run.batch = std::exchange(worker.handed_over, {});
    if (run.batch.execution == nullptr) {
      crew_.Looks();
      ResourceArbiter::Claim& claim = *worker.place.claim;
      if (!claim.free() && !claim.TryAcquire()) {
        // Another instance may hold the claim that it needs.
        WakeIfReady(services_.clock.NowNs(), dropped);
        lock.unlock();
        refusals_.Answer(std::exchange(dropped, {}));
        const int64_t asked_ns = services_.clock.NowNs();
        const bool acquired = claim.Acquire();
        lock.lock();
        figures_.RecordResourceWait(services_.clock.NowNs() - asked_ns);
        if (!acquired) {
          crew_.MakeIdle(worker);
          return true;
        }
      }
      run.batch = Form(worker, Place::kWorker, services_.clock.NowNs(), dropped);
    }
  }
  refusals_.Answer(std::move(dropped));
  bool runs = run.batch.execution != nullptr;
  while (runs) runs = RunOne(run) && !GiveBack(run);
  return true;
}

// Returns the execution to the loop: otherwise this thread could go on for as long as requests keep waiting.
bool InstancePool::GiveBack(const Run& run) {
  const QueueEntry& first = run.batch.execution->member(0);
  if (first.loop == nullptr || first.queued.warmup || !run.worker->place.cores.empty()) return false;
  {
    base::MutexLock lock(mutex_);
    if (!lane_.MayOnlyBegin(run.batch)) return false;
  }
  base::Executor& loop = *first.loop;
  loop.Post(PutOff(run));
  return true;
}

// Runs at the end of a turn, when this thread has passed on all its requests.
void InstancePool::EndTurn(const base::Turn& turn) {
  Run run;
  DroppedEntries dropped;
  {
    base::MutexLock lock(mutex_);
    lane_.EndGathering(turn);
    // If all instances are busy, the first one that is done takes the queued requests.
    if (source_.empty() || crew_.idle() == 0) return;
    const int64_t now_ns = services_.clock.NowNs();
    InstanceWorker& last = crew_.NextIdle();
    if (last.place.cores.empty() && (last.place.claim->free() || last.place.claim->TryAcquire())) {
      crew_.TakeIdle();
      run = FormHere(last, now_ns, dropped);
    } else {
      WakeIfReady(now_ns, dropped);
    }
  }
  refusals_.Answer(std::move(dropped));
  if (run.worker != nullptr) RunHere(run);
}

InstancePool::Run InstancePool::FormHere(InstanceWorker& worker, int64_t now_ns, DroppedEntries& dropped) {
  return BeginHere(worker, Form(worker, Place::kCaller, now_ns, dropped), now_ns);
}

InstancePool::Run InstancePool::BeginHere(InstanceWorker& worker, const FormedBatch& batch, int64_t now_ns) {
  if (batch.execution == nullptr) return {};
  if (!lane_.MayRun(batch) && crew_.HandOver(worker, batch)) return {};
  lane_.Watch(now_ns);
  ArmAt(lane_.due_ns());
  return {.worker = &worker, .batch = batch, .place = lane_.PlaceOf(batch.record.rows)};
}

void InstancePool::RunLone(InstanceWorker& worker) {
  base::Turn* const turn = base::Turn::Current();
  if (!is_movable_ || turn == nullptr || !turn->is_movable()) return RunLoneHere(worker);
  const auto step = [](void* pool, void* of) {
    static_cast<InstancePool*>(pool)->RunLoneHere(*static_cast<InstanceWorker*>(of));
  };
  turn->SetStep({.run = step, .first = this, .second = &worker});
}

void InstancePool::RunLoneHere(InstanceWorker& worker) {
  Run run{.worker = &worker, .batch = worker.lone, .place = worker.lone_place};
  RunHere(run);
}

// A thread that has lost its turn has no owner any more, and ends.
void InstancePool::RunHere(Run& run) {
  for (int runs = 1; RunOne(run); ++runs) {
    {
      const bool lost = base::Turn::Current() != run.worker->inline_turn.load(std::memory_order_relaxed);
      base::MutexLock lock(mutex_);
      if ((lost || !lane_.MayRun(run.batch)) && crew_.HandOver(*run.worker, run.batch)) return;
      run.place = lane_.PlaceOf(run.batch.record.rows);
    }
    if (runs >= kInlineRunsMax && GoOnLater(run)) return;
  }
}

bool InstancePool::GoOnLater(const Run& run) {
  if (base::Turn* const turn = base::Turn::Current()) {
    turn->AtNextEnd(PutOff(run));
    return true;
  }
  base::MutexLock lock(mutex_);
  return crew_.HandOver(*run.worker, run.batch);
}

base::Task InstancePool::PutOff(const Run& run) {
  InstanceWorker& worker = *run.worker;
  const std::shared_ptr<const core::ModelVersion> pin = run.batch.execution->member(0).queued.version;
  base::Task later = base::TaskOrElse([this, &worker, pin] { RunPutOff(worker); },
                                      [this, &worker, pin] {
                                        base::MutexLock lock(mutex_);
                                        crew_.HandOverPutOff(worker);
                                      });
  base::MutexLock lock(mutex_);
  crew_.PutOff(worker, run.batch);
  ArmAt(crew_.due_ns());
  return later;
}

void InstancePool::RunPutOff(InstanceWorker& worker) {
  Run run;
  {
    base::MutexLock lock(mutex_);
    run = BeginHere(worker, crew_.TakePutOff(worker), services_.clock.NowNs());
  }
  if (run.worker != nullptr) RunHere(run);
}

bool InstancePool::RunOne(Run& run) {
  InstanceWorker& worker = *run.worker;
  FormedBatch& batch = run.batch;
  const Place place = run.place;
  // Destroyed last, outside the lock: this may destroy the pool.
  const std::shared_ptr<const core::ModelVersion> pin = batch.execution->member(0).queued.version;
  if (place != Place::kWorker) version_.statistics->AddInlineExecution();
  batch.on_loop = place != Place::kWorker || batch.begun_ns != 0;
  const std::optional<Elapsed> executed = Execute(run);
  if (!executed.has_value()) return false;
  const Elapsed& elapsed = *executed;
  std::unique_ptr<BatchExecution> returned = TakeBack(worker, batch, elapsed.started_ns);
  DroppedEntries dropped;
  bool held = false;
  bool full = false;
  {
    base::MutexLock lock(mutex_);
    held = lane_.LetGo(worker);
    lane_.Record(batch, elapsed.blamed_ns);
    if (returned != nullptr) {
      Record(batch, worker, elapsed.started_ns, elapsed.ended_ns, std::move(returned), worker.remains);
    }
    batch.execution = nullptr;
    full = worker.full = IsFull(worker);
    if (!full && worker.place.claim->free()) {
      if (source_.empty() && worker.warmups.empty()) {
        crew_.MakeIdle(worker);
      } else {
        batch = Form(worker, place, elapsed.ended_ns, dropped);
      }
    }
  }
  if (!full && !worker.place.claim->free()) batch = FormWithClaim(worker, elapsed, place, dropped);
  if (held) services_.held_threads.SayReleased(pin->id(), elapsed.ended_ns - elapsed.started_ns);
  if (!dropped.empty()) refusals_.Answer(std::move(dropped));
  return batch.execution != nullptr;
}

std::optional<InstancePool::Elapsed> InstancePool::Execute(Run& run) {
  InstanceWorker& worker = *run.worker;
  FormedBatch& batch = run.batch;
  const Place place = run.place;
  const ThreadUsage before = place == Place::kWatchedCaller ? ThreadUsage::Now() : ThreadUsage();
  const int64_t now_ns = services_.clock.NowNs();
  if (!worker.Advance(batch, now_ns, place != Place::kWorker)) {
    base::MutexLock lock(mutex_);
    // The rest runs elsewhere, which frees this thread for others.
    const bool held = lane_.LetGo(worker);
    const bool handed_over = crew_.HandOver(worker, batch);
    lock.unlock();
    if (held) services_.held_threads.SayReleased(version_.id, services_.clock.NowNs() - now_ns);
    if (handed_over) return std::nullopt;
    // No other thread can be started.
    worker.Advance(batch, now_ns, place != Place::kWorker);
  }
  Elapsed elapsed{.started_ns = batch.begun_ns != 0 ? batch.begun_ns : now_ns, .ended_ns = services_.clock.NowNs()};
  elapsed.blamed_ns = elapsed.ended_ns - elapsed.started_ns;
  if (place == Place::kWatchedCaller && elapsed.blamed_ns >= gate_limit_ns_) {
    elapsed.blamed_ns = BlamedNs(elapsed.blamed_ns, before, ThreadUsage::Now());
  }
  return elapsed;
}

std::unique_ptr<BatchExecution> InstancePool::TakeBack(InstanceWorker& worker, const FormedBatch& batch,
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

void InstancePool::OnFinished(InstanceWorker& worker, FormedBatch batch, int64_t started_ns,
                              std::unique_ptr<BatchExecution> execution) {
  // Destroyed last, outside the lock: this may destroy the pool.
  const std::shared_ptr<const core::ModelVersion> pin = execution->member(0).queued.version;
  BatchExecution::Remains remains;
  execution->Clear(remains);
  for (auto& entry : remains.entries) *entry = {};
  const int64_t now_ns = services_.clock.NowNs();
  Run next;
  DroppedEntries dropped;
  {
    base::MutexLock lock(mutex_);
    --worker.unfinished;
    Record(batch, worker, started_ns, now_ns, std::move(execution), remains);
    if (std::exchange(worker.full, false)) {
      if (worker.place.claim->held()) worker.place.claim->Release(now_ns - started_ns);
      if (worker.warmups.empty()) {
        crew_.MakeIdle(worker);
      } else {
        Wake(worker);
      }
    }
    if (MayFormHere()) next = FormHere(crew_.TakeIdle(), now_ns, dropped);
    WakeIfReady(now_ns, dropped);
  }
  refusals_.Answer(std::move(dropped));
  if (next.worker != nullptr) RunHere(next);
}

bool InstancePool::IsFull(const InstanceWorker& worker) const {
  const int64_t mean_ns = figures_.mean_service_ns();
  const bool brief = mean_ns > 0 && mean_ns < kShortNs;
  return worker.unfinished >= worker.unfinished_max + (brief ? worker.ahead_max : 0);
}

// Returns true on a connections' thread on which the engine has just finished an execution: no other thread need be
// woken for queued requests, not even at the end of such a thread's turn. An execution that is formed here but may not
// run here would be late.
bool InstancePool::MayFormHere() const {
  const base::Turn* const turn = base::Turn::Current();
  if (turn == nullptr || !turn->executes() || source_.empty() || !lane_.open()) return false;
  return MayRunOnNextIdle() && crew_.NextIdle().place.claim->free();
}

void InstancePool::Record(FormedBatch& batch, const InstanceWorker& worker, int64_t started_ns, int64_t finished_ns,
                          std::unique_ptr<BatchExecution> execution, BatchExecution::Remains& remains) {
  batch.record.oldest_waited_ns = started_ns - batch.oldest_ns;
  batch.record.service_ns = finished_ns - started_ns;
  batch.record.instance = worker.ordinal;
  batch.record.on_loop = batch.on_loop;
  figures_.Record(started_ns, batch.record);
  source_.RecordFinished(batch);
  memory_.Recycle(std::move(execution), remains.entries);
  if (!remains.retries.empty()) source_.PushAgain(remains.retries);
}

}  // namespace inferd::scheduling
