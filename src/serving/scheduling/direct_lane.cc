#include "serving/scheduling/direct_lane.h"

#include <utility>

#include "serving/core/model_version.h"

namespace inferd::scheduling {

DirectLane::DirectLane(Parts parts, const SchedulerOptions& options, const SchedulerServices& services)
    : clock_(services.clock),
      sharing_(parts.version.id, services.logger),
      parts_(std::move(parts)),
      refusals_(parts_.version.id.name, *parts_.version.statistics, services.clock),
      memory_(parts_.context),
      source_({.config = *parts_.version.config,
               .signature = *parts_.version.signature,
               .significant = parts_.version.model->significant_parameters(),
               .statistics = *parts_.version.statistics,
               .memory = memory_}),
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
  parts_.context.outputs_count = &outputs_count_;
  parts_.metrics->ReportFrom([this] { return Report(); });
}

DirectLane::~DirectLane() { parts_.metrics->StopReporting(); }

void DirectLane::Enqueue(core::QueuedRequest&& queued, size_t row) {
  const BatchKey key = MakeBatchKey(queued, *parts_.version.signature, parts_.version.model->significant_parameters());
  DroppedEntries dropped;
  base::MutexLock lock(pool_.mutex());
  std::unique_ptr<QueueEntry> entry = memory_.NewEntry();
  entry->queued = std::move(queued);
  entry->key = key;
  entry->slot = row;
  entry->loop = InlineLane::LoopHere();
  if (entry->queued.warmup) {
    pool_.WarmUp(std::move(entry), dropped);
    lock.unlock();
    return refusals_.Answer(std::move(dropped));
  }
  const bool waits_for_turn = pool_.WaitsForTurn(*entry);
  if (const auto reason = waits_for_turn ? std::nullopt : pool_.StartsLone(*entry); reason.has_value()) {
    InstanceWorker& worker = pool_.TakeLone(source_.FormLone(std::move(entry), *reason));
    lock.unlock();
    return pool_.RunLone(worker);
  }
  const int64_t now_ns = clock_.NowNs();
  source_.Push(std::move(entry), now_ns, dropped);
  if (waits_for_turn) {
    pool_.ArmForSource();
  } else {
    pool_.WakeIfReady(now_ns, dropped);
  }
  lock.unlock();
  // By now the request may have been answered and this object destroyed.
  if (!dropped.empty()) refusals_.Answer(std::move(dropped));
}

core::SchedulerReport DirectLane::Report() const {
  core::SchedulerReport report;
  report.sharing = sharing_.Report();
  base::MutexLock lock(pool_.mutex());
  source_.Report(report);
  pool_.Report(report);
  figures_.Report(report);
  return report;
}

std::vector<core::BatchRecord> DirectLane::RecentExecutions() const {
  base::MutexLock lock(pool_.mutex());
  return figures_.Recent(clock_.NowNs(), clock_.WallNs());
}

}  // namespace inferd::scheduling
