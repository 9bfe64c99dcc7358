#include "scheduling/instance_scheduler.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/model_version.h"
#include "scheduling/held_threads.h"
#include "scheduling/queue/deadline_watch.h"

namespace inferd::scheduling {

namespace {

// Sharing an execution takes a copy of the inputs. That of a larger request costs more than a quick execution saves.
constexpr size_t kShareBytesMax = 64 * 1024;

// Of an execution in a worker process, most is the way there and back. A hop before it costs that much again.
constexpr int64_t kIsolatedFactor = 4;

// The model's own word on running inline goes before the server's.
InlineGate MakeGate(const config::ModelConfig& config, const SchedulerOptions& options) {
  const auto model_ns_max = static_cast<int64_t>(std::min<uint64_t>(config.inline_execution_max_us, 1'000'000)) * 1000;
  const int64_t factor = config.isolation != config::Isolation::kNone ? kIsolatedFactor : 1;
  return InlineGate(model_ns_max == 0 ? factor * options.inline_service_ns_max : model_ns_max, config.inline_execution);
}

constexpr int64_t kRetryAfterMsMax = 60'000;

}  // namespace

InstanceScheduler::InstanceScheduler(Parts parts, const SchedulerOptions& options, const SchedulerServices& services)
    : sharing_(parts.version.id, services.logger),
      parts_(std::move(parts)),
      options_(options),
      services_(services),
      config_(*parts_.version.config),
      preserves_order_(config_.dynamic_batching.has_value() && config_.dynamic_batching->preserve_ordering),
      looks_for_more_(config_.isolation != config::Isolation::kNone),
      gate_limit_ns_(MakeGate(config_, options).service_ns_max()),
      unfinished_max_(std::max(parts_.version.model->unfinished_executions_max(), 1)),
      entrance_(parts_.version, std::move(parts_.padding), options, services, sharing_),
      refusals_(config_.name, *parts_.version.statistics, services.clock),
      memory_(parts_.context),
      source_(std::make_unique<BatchingSource>(
          BatchingSource::Parts{.config = config_,
                                .signature = *parts_.version.signature,
                                .significant = parts_.version.model->significant_parameters(),
                                .statistics = *parts_.version.statistics,
                                .sharing = sharing_,
                                .admission = entrance_.admission(),
                                .figures = figures_,
                                .memory = memory_,
                                .instances = static_cast<int>(parts_.version.instances.size()),
                                .queue_size_max = options.queue_size_max,
                                .delay_until_queued = options.delay_until_queued,
                                .latency_objective_ns = options.latency_objective_ns})),
      gate_(MakeGate(config_, options)) {
  parts_.context.sharing = &sharing_;
  parts_.context.outputs = services_.outputs;
  parts_.context.outputs_count = &entrance_.outputs_count();
  for (size_t i = 0; i < parts_.version.instances.size(); ++i) {
    InstanceWorker& worker = *workers_.emplace_back(std::make_unique<InstanceWorker>());
    worker.ordinal = static_cast<int>(i);
    worker.instance = std::move(parts_.version.instances[i]);
    worker.place = std::move(parts_.places[i]);
    idle_.push_back(&worker);
  }
  holder_id_ = services_.held_threads.AddHolder([this] { return HeldBy(); });
  deadline_id_ = services_.deadlines.Add([this] { return OnTime(); });
  parts_.metrics->ReportFrom([this] { return Report(); });
}

InstanceScheduler::~InstanceScheduler() {
  parts_.metrics->StopReporting();
  services_.deadlines.Remove(deadline_id_);
  services_.held_threads.RemoveHolder(holder_id_);
  for (auto& worker : workers_) worker->place.claim->Cancel();
  {
    base::MutexLock lock(mutex_);
    stopping_ = true;
    for (auto& worker : workers_) worker->wake.NotifyAll();
  }
  for (auto& worker : workers_) {
    if (worker->thread.joinable()) worker->thread.join();
  }
}

void InstanceScheduler::Enqueue(core::QueuedRequest&& queued) {
  auto level = entrance_.LevelOf(queued);
  if (!level.has_value())
    return refusals_.Refuse(queued, std::move(level.error().status), level.error().retry_after_ms);
  if (const int64_t retry_after_ms = entrance_.Admit(queued);
      retry_after_ms > 0 && !TakePlace(queued, *level, retry_after_ms)) {
    return refusals_.Shed(queued, retry_after_ms);
  }
  if (!entrance_.Splits(queued)) return EnqueuePart(std::move(queued), *level);
  entrance_.Split(std::move(queued),
                  [this, level = *level](core::QueuedRequest part) { EnqueuePart(std::move(part), level); });
}

// Of the last of those that wait and are less urgent; false: nobody is.
bool InstanceScheduler::TakePlace(core::QueuedRequest& queued, uint64_t level, int64_t retry_after_ms) {
  if (!entrance_.MayTakePlace(level)) return false;
  std::unique_ptr<QueueEntry> last;
  DroppedEntries dropped;
  {
    base::MutexLock lock(mutex_);
    last = source_->TakeLessUrgent(level, services_.clock.NowNs(), dropped);
  }
  // Parts of requests that have failed, too, whose places are free already.
  refusals_.Answer(std::move(dropped));
  if (last == nullptr) return false;
  entrance_.AdmitInstead(queued);
  refusals_.Shed(last->queued, retry_after_ms);
  return true;
}

void InstanceScheduler::EnqueuePart(core::QueuedRequest&& queued, uint64_t level) {
  entrance_.Pad(queued);
  const Entrance::Kind kind = entrance_.KindOf(queued);
  DroppedEntries dropped;
  std::unique_ptr<QueueEntry> refused;
  base::Status refusal;
  int64_t retry_after_ms = 0;
  bool wake = true;
  {
    base::MutexLock lock(mutex_);
    std::unique_ptr<QueueEntry> entry = memory_.NewEntry();
    entry->queued = std::move(queued);
    entry->key = kind.key;
    entry->level = level;
    entry->alone = kind.alone;
    if (entry->queued.warmup) {
      WarmUp(std::move(entry), dropped);
      lock.unlock();
      return refusals_.Answer(std::move(dropped));
    }
    source_->RecordArrival(*entry);
    base::Turn* const turn = base::Turn::Current();
    if (WaitsForTurn(*entry, turn)) {
      wake = false;
      if (looks_for_more_) turn->LookAgain();
      if (!Gathers(*turn)) {
        gathering_.push_back(turn);
        turn->AtEnd([this, turn, pin = entry->queued.version] { EndTurn(*turn); });
      }
    } else if (const auto reason = StartsLone(*entry); reason.has_value()) {
      if (preserves_order_) order_.Join(entry->queued);
      const FormedBatch batch = source_->FormLone(std::move(entry), *reason);
      InstanceWorker& worker = *idle_.back();
      idle_.pop_back();
      const Place place = CallerPlace(batch.record.rows);
      WatchInline(batch.oldest_ns);
      lock.unlock();
      return RunInline(worker, batch, place);
    }
    const int64_t now_ns = services_.clock.NowNs();
    refused = Push(std::move(entry), now_ns, dropped);
    if (refused == nullptr) {
      if (wake) WakeIfReady(now_ns, dropped);
    } else {
      refusal =
          base::ResourceExhausted("Exceeds maximum queue size (" + std::to_string(source_->size_max(refused->level)) +
                                  ") of model '" + config_.name + "'");
      retry_after_ms = DrainedAfterMs(refused->level);
    }
  }
  // The request may have been answered by now, and this may be gone with it, unless a request is left to be answered.
  if (!dropped.empty()) refusals_.Answer(std::move(dropped));
  if (refused != nullptr) refusals_.Refuse(refused->queued, std::move(refusal), retry_after_ms);
}

// Whether this thread may run the request, as far as the request and the instances are concerned.
bool InstanceScheduler::MayRunHere(const QueueEntry& entry) const {
  const core::QueuedRequest& queued = entry.queued;
  if (idle_.empty() || !idle_.back()->place.cores.empty() || !queued.request->parameters.empty()) return false;
  if (const base::Turn* turn = base::Turn::Current(); turn != nullptr && !turn->executes()) return false;
  // A request of many parts would keep the thread for as long as all of them.
  if (queued.parts != nullptr || services_.held_threads.any()) return false;
  return gate_.Allows(entry.rows(), queued.request->InputBytes());
}

// Whether this thread has more that the request may share an execution with, and will run that itself.
bool InstanceScheduler::WaitsForTurn(const QueueEntry& entry, const base::Turn* turn) const {
  if (turn == nullptr || entry.alone) return false;
  if (!turn->more() && !Gathers(*turn) && !looks_for_more_) return false;
  return entry.queued.request->InputBytes() <= kShareBytesMax && MayRunHere(entry);
}

bool InstanceScheduler::Gathers(const base::Turn& turn) const {
  return std::ranges::find(gathering_, &turn) != gathering_.end();
}

// Whether the request may run on this thread and at once, because there is nobody before it and nobody to wait for. If
// so, the instance that was idle last has its claim.
std::optional<core::BatchReason> InstanceScheduler::StartsLone(const QueueEntry& entry) {
  if (!MayRunHere(entry)) return std::nullopt;
  const std::optional<core::BatchReason> reason = source_->BeginsAtOnce(entry);
  ResourceArbiter::Claim& claim = *idle_.back()->place.claim;
  if (reason.has_value() && !claim.free() && !claim.TryAcquire()) return std::nullopt;
  return reason;
}

// Each instance gets as many as any other: what is warmed up is the instance. Round robin, as they come.
void InstanceScheduler::WarmUp(std::unique_ptr<QueueEntry> entry, DroppedEntries& dropped) {
  InstanceWorker& worker = *workers_[next_warmup_++ % workers_.size()];
  worker.warmups.push_back(std::move(entry));
  if (std::erase(idle_, &worker) == 0 || WakeIdle(worker)) return;
  for (auto& warmup : worker.warmups) {
    parts_.version.statistics->AddPending(1);
    dropped.emplace_back(std::move(warmup), QueueVerdict::kNoThread);
  }
  worker.warmups.clear();
}

std::unique_ptr<QueueEntry> InstanceScheduler::Push(std::unique_ptr<QueueEntry> entry, int64_t now_ns,
                                                    DroppedEntries& dropped) {
  QueueEntry& waits = *entry;
  std::unique_ptr<QueueEntry> refused = source_->Push(std::move(entry), now_ns, dropped);
  if (refused != nullptr) return refused;
  if (preserves_order_) order_.Join(waits.queued);
  ArmAt(source_->due_ns());
  return nullptr;
}

// How long the queue of a level takes to run empty.
int64_t InstanceScheduler::DrainedAfterMs(uint64_t level) const {
  const double executions = static_cast<double>(source_->size_max(level)) / std::max(figures_.mean_requests(), 1.0);
  const double drained_ms =
      executions * static_cast<double>(figures_.mean_service_ns()) / static_cast<double>(workers_.size()) / 1e6;
  return static_cast<int64_t>(std::clamp(drained_ms, 1.0, static_cast<double>(kRetryAfterMsMax)));
}

core::SchedulerReport InstanceScheduler::Report() const {
  core::SchedulerReport report;
  report.concurrency = entrance_.admission().Report();
  report.preserve_order = preserves_order_;
  report.inline_executions = parts_.version.statistics->inline_executions();
  report.sharing = sharing_.Report();
  base::MutexLock lock(mutex_);
  source_->Report(report);
  report.instances = static_cast<int>(workers_.size());
  report.busy_instances = static_cast<int>(workers_.size() - idle_.size());
  for (const auto& worker : workers_) {
    const int64_t since_ns = worker->inline_since_ns.load(std::memory_order_relaxed);
    if (since_ns != 0) report.inline_held_ns = std::max(report.inline_held_ns, services_.clock.NowNs() - since_ns);
  }
  report.inline_open = gate_.Allows(1, 0);
  figures_.Report(report);
  return report;
}

std::vector<core::BatchRecord> InstanceScheduler::RecentExecutions() const {
  base::MutexLock lock(mutex_);
  return figures_.Recent(services_.clock.NowNs(), services_.clock.WallNs());
}

}  // namespace inferd::scheduling
