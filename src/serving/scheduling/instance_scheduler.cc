#include "serving/scheduling/instance_scheduler.h"

#include <algorithm>
#include <string>
#include <utility>

#include "serving/core/model_version.h"

namespace inferd::scheduling {

namespace {

constexpr int64_t kRetryAfterMsMax = 60'000;

}  // namespace

InstanceScheduler::InstanceScheduler(Parts parts, const SchedulerOptions& options, const SchedulerServices& services)
    : clock_(services.clock),
      sharing_(parts.version.id, services.logger),
      parts_(std::move(parts)),
      config_(*parts_.version.config),
      instances_(static_cast<int64_t>(parts_.version.instances.size())),
      preserves_order_(config_.dynamic_batching.has_value() && config_.dynamic_batching->preserve_ordering),
      entrance_(parts_.version, std::move(parts_.padding), options, services, sharing_),
      refusals_(config_.name, *parts_.version.statistics, services.clock),
      memory_(parts_.context),
      source_({.config = config_,
               .signature = *parts_.version.signature,
               .significant = parts_.version.model->significant_parameters(),
               .statistics = *parts_.version.statistics,
               .sharing = sharing_,
               .admission = entrance_.admission(),
               .figures = figures_,
               .memory = memory_,
               .instances = static_cast<int>(instances_),
               .queue_size_max = options.queue_size_max,
               .delay_until_queued = options.delay_until_queued,
               .latency_objective_ns = options.latency_objective_ns}),
      pool_({.version = parts_.version,
             .places = std::move(parts_.places),
             .options = options,
             .services = services,
             .source = source_,
             .figures = figures_,
             .memory = memory_,
             .refusals = refusals_}) {
  parts_.context.sharing = &sharing_;
  parts_.context.outputs = services.outputs;
  parts_.context.outputs_count = &entrance_.outputs_count();
  parts_.metrics->ReportFrom([this] { return Report(); });
}

InstanceScheduler::~InstanceScheduler() { parts_.metrics->StopReporting(); }

void InstanceScheduler::Enqueue(core::QueuedRequest&& queued) {
  const auto level = entrance_.LevelOf(*queued.request);
  if (!level.has_value()) return refusals_.Refuse(queued, level.error());
  if (entrance_.LacksRoomForOutputs(queued)) {
    return refusals_.Refuse(queued, entrance_.RefuseOutputs(), Entrance::kOutputsRetryAfterMs);
  }
  if (const int64_t retry_after_ms = entrance_.Admit(queued);
      retry_after_ms > 0 && !TakePlace(queued, *level, retry_after_ms)) {
    return refusals_.Shed(queued, retry_after_ms);
  }
  if (!entrance_.Splits(queued)) return EnqueuePart(std::move(queued), *level);
  entrance_.Split(std::move(queued),
                  [this, level = *level](core::QueuedRequest part) { EnqueuePart(std::move(part), level); });
}

bool InstanceScheduler::TakePlace(core::QueuedRequest& queued, uint64_t level, int64_t retry_after_ms) {
  if (!entrance_.MayTakePlace(level)) return false;
  std::unique_ptr<QueueEntry> last;
  DroppedEntries dropped;
  {
    base::MutexLock lock(pool_.mutex());
    last = source_.TakeLessUrgent(level, clock_.NowNs(), dropped);
  }
  // They include parts of failed requests, whose slots are already free.
  refusals_.Answer(std::move(dropped));
  if (last == nullptr) return false;
  entrance_.AdmitInstead(queued);
  refusals_.Shed(last->queued, retry_after_ms);
  return true;
}

void InstanceScheduler::EnqueuePart(core::QueuedRequest&& queued, uint64_t level) {
  entrance_.Pad(queued);
  const Entrance::Kind kind = entrance_.KindOf(queued);
  base::MutexLock lock(pool_.mutex());
  std::unique_ptr<QueueEntry> entry = memory_.NewEntry();
  entry->queued = std::move(queued);
  entry->key = kind.key;
  entry->level = level;
  entry->alone = kind.alone;
  entry->loop = InlineLane::LoopHere();
  if (entry->queued.warmup) {
    DroppedEntries dropped;
    pool_.WarmUp(std::move(entry), dropped);
    lock.unlock();
    return refusals_.Answer(std::move(dropped));
  }
  source_.RecordArrival(*entry);
  const bool waits_for_turn = pool_.WaitsForTurn(*entry);
  if (const auto reason = waits_for_turn ? std::nullopt : pool_.StartsLone(*entry); reason.has_value()) {
    if (preserves_order_) order_.Join(entry->queued);
    InstanceWorker& worker = pool_.TakeLone(source_.FormLone(std::move(entry), *reason));
    lock.unlock();
    return pool_.RunLone(worker);
  }
  DroppedEntries dropped;
  Refused refused = Push(std::move(entry), !waits_for_turn, dropped);
  lock.unlock();
  // By now the request may have been answered and this object destroyed, unless a request is left to be answered.
  if (!dropped.empty()) refusals_.Answer(std::move(dropped));
  if (refused.entry != nullptr) {
    refusals_.Refuse(refused.entry->queued, std::move(refused.status), refused.retry_after_ms);
  }
}

InstanceScheduler::Refused InstanceScheduler::Push(std::unique_ptr<QueueEntry> entry, bool wakes,
                                                   DroppedEntries& dropped) {
  const int64_t now_ns = clock_.NowNs();
  QueueEntry& waits = *entry;
  std::unique_ptr<QueueEntry> refused = source_.Push(std::move(entry), now_ns, dropped);
  if (refused != nullptr) {
    const uint64_t level = refused->level;
    return {.entry = std::move(refused),
            .status = base::ResourceExhausted("Exceeds maximum queue size (" + std::to_string(source_.size_max(level)) +
                                              ") of model '" + config_.name + "'"),
            .retry_after_ms = DrainedAfterMs(level)};
  }
  if (preserves_order_) order_.Join(waits.queued);
  if (wakes) {
    pool_.WakeIfReady(now_ns, dropped);
  } else {
    pool_.ArmForSource();
  }
  return {};
}

// Returns how long the queue of a level takes to become empty.
int64_t InstanceScheduler::DrainedAfterMs(uint64_t level) const {
  const double executions = static_cast<double>(source_.size_max(level)) / std::max(figures_.mean_requests(), 1.0);
  const double drained_ms =
      executions * static_cast<double>(figures_.mean_service_ns()) / static_cast<double>(instances_) / 1e6;
  return static_cast<int64_t>(std::clamp(drained_ms, 1.0, static_cast<double>(kRetryAfterMsMax)));
}

core::SchedulerReport InstanceScheduler::Report() const {
  core::SchedulerReport report;
  report.concurrency = entrance_.admission().Report();
  report.preserve_order = preserves_order_;
  report.inline_executions = parts_.version.statistics->inline_executions();
  report.sharing = sharing_.Report();
  parts_.version.model->Report(report);
  base::MutexLock lock(pool_.mutex());
  source_.Report(report);
  pool_.Report(report);
  figures_.Report(report);
  return report;
}

std::vector<core::BatchRecord> InstanceScheduler::RecentExecutions() const {
  base::MutexLock lock(pool_.mutex());
  return figures_.Recent(clock_.NowNs(), clock_.WallNs());
}

}  // namespace inferd::scheduling
