#include <algorithm>
#include <string>
#include <utility>

#include "serving/scheduling/metrics/metric_series.h"

// The series that are read from a version's SchedulerReport.

namespace inferd::scheduling {

namespace {

using Kind = metrics::Registry::CallbackKind;

// Adds the counts of a former load.
void AddCounts(core::SchedulerReport& sum, const core::SchedulerReport& load) {
  for (size_t i = 0; i < sum.executions.size(); ++i) sum.executions[i] += load.executions[i];
  sum.resource_wait_ns += load.resource_wait_ns;
  sum.concurrency.shed += load.concurrency.shed;
  sum.sharing.failed += load.sharing.failed;
  sum.sharing.repeated += load.sharing.repeated;
  sum.sequences.begun += load.sequences.begun;
  sum.sequences.ended += load.sequences.ended;
  sum.sequences.restarted += load.sequences.restarted;
  sum.sequences.idled += load.sequences.idled;
  sum.sequences.failed += load.sequences.failed;
  sum.sequences.refused += load.sequences.refused;
}

void AddLoad(core::SchedulerReport& sum, const core::SchedulerReport& load) {
  AddCounts(sum, load);
  sum.concurrency.limit = load.concurrency.limit;
  if (sum.sharing.stopped.empty()) sum.sharing.stopped = load.sharing.stopped;
  sum.sequences.slots += load.sequences.slots;
  sum.sequences.active += load.sequences.active;
  sum.sequences.backlog += load.sequences.backlog;
  sum.sequences.waiting += load.sequences.waiting;
  sum.inline_held_ns = std::max(sum.inline_held_ns, load.inline_held_ns);
  sum.moved_executions += load.moved_executions;
  for (const core::SchedulerReport::Level& level : load.levels) {
    const auto found = std::ranges::find(sum.levels, level.level, &core::SchedulerReport::Level::level);
    if (found == sum.levels.end()) {
      sum.levels.push_back(level);
    } else {
      found->requests += level.requests;
    }
  }
}

double RequestsOf(const core::SchedulerReport& report, uint64_t level) {
  const auto found = std::ranges::find(report.levels, level, &core::SchedulerReport::Level::level);
  return found == report.levels.end() ? 0 : static_cast<double>(found->requests);
}

metrics::Labels With(metrics::Labels labels, const char* name, std::string value) {
  labels.emplace_back(name, std::move(value));
  return labels;
}

}  // namespace

core::SchedulerReport VersionMetrics::Series::Scheduling() const {
  base::MutexLock lock(mutex);
  core::SchedulerReport sum = ended_report;
  for (const Load& load : loads) {
    for (const auto& [scheduler, report] : load.reports) {
      if (report != nullptr) AddLoad(sum, report());
    }
  }
  return sum;
}

void VersionMetrics::ReportFrom(Report report) {
  const core::SchedulerReport first = report();
  {
    base::MutexLock lock(series_->mutex);
    for (Series::Load& load : series_->loads) {
      if (const auto own = load.reports.find(this); own != load.reports.end()) own->second = std::move(report);
    }
  }
  owner_->RegisterScheduling(series_, first);
}

void VersionMetrics::StopReporting() {
  base::MutexLock lock(series_->mutex);
  for (Series::Load& load : series_->loads) {
    const auto own = load.reports.find(this);
    if (own == load.reports.end() || own->second == nullptr) continue;
    AddCounts(series_->ended_report, own->second());
    own->second = nullptr;
  }
}

void InferenceMetrics::RegisterSharing(const std::shared_ptr<VersionMetrics::Series>& series) {
  registry_.AddCallback(Kind::kCounter, "inferd_failed_batches_total",
                        "Executions of several requests that failed, and whose requests were repeated one by one",
                        series->labels, [series] { return static_cast<double>(series->Scheduling().sharing.failed); });
  registry_.AddCallback(Kind::kCounter, "inferd_repeated_requests_total",
                        "Requests repeated alone after the execution that they shared had failed", series->labels,
                        [series] { return static_cast<double>(series->Scheduling().sharing.repeated); });
  registry_.AddCallback(Kind::kGauge, "inferd_batching_stopped",
                        "1: requests share executions no more, as that proved wrong", series->labels,
                        [series] { return series->Scheduling().sharing.stopped.empty() ? 0.0 : 1.0; });
}

void InferenceMetrics::RegisterSequences(const std::shared_ptr<VersionMetrics::Series>& series) {
  using Sequences = core::SchedulerReport::Sequences;
  const auto gauge = [&](const char* name, const char* help, int64_t Sequences::* value) {
    registry_.AddCallback(Kind::kGauge, name, help, series->labels,
                          [series, value] { return static_cast<double>(series->Scheduling().sequences.*value); });
  };
  gauge("inferd_sequence_slots", "How many sequences may be active", &Sequences::slots);
  gauge("inferd_sequences_active", "Sequences that have a slot", &Sequences::active);
  gauge("inferd_sequences_backlog", "Sequences that wait for a slot", &Sequences::backlog);
  gauge("inferd_sequence_requests_waiting", "Requests that wait for a slot, or for those before them of their sequence",
        &Sequences::waiting);
  const auto count = [&](const char* name, const char* help, uint64_t Sequences::* value, const char* how = nullptr) {
    registry_.AddCallback(Kind::kCounter, name, help,
                          how == nullptr ? series->labels : With(series->labels, "how", how),
                          [series, value] { return static_cast<double>(series->Scheduling().sequences.*value); });
  };
  count("inferd_sequences_begun_total", "Sequences that have begun", &Sequences::begun);
  const char* const ended = "inferd_sequences_ended_total";
  const char* const help =
      "Sequences that have ended: by their last request, by a START before it, as no request came "
      "for too long, or with a first request that failed";
  count(ended, help, &Sequences::ended, "END");
  count(ended, help, &Sequences::restarted, "START");
  count(ended, help, &Sequences::idled, "IDLE");
  count(ended, help, &Sequences::failed, "FAILED");
  count("inferd_sequence_requests_refused_total", "Requests that fit to no sequence, or for which there was no room",
        &Sequences::refused);
}

void InferenceMetrics::RegisterScheduling(const std::shared_ptr<VersionMetrics::Series>& series,
                                          const core::SchedulerReport& report) {
  for (const core::SchedulerReport::Level& level : report.levels) {
    registry_.AddCallback(Kind::kGauge, "inferd_queue_requests", "Requests that wait, by priority level (1: first)",
                          With(series->labels, "priority", std::to_string(level.level)),
                          [series, level = level.level] { return RequestsOf(series->Scheduling(), level); });
  }
  for (size_t i = 0; i < core::kBatchReasonCount; ++i) {
    const auto reason = static_cast<core::BatchReason>(i);
    if (!report.batching && reason != core::BatchReason::kNotBatching) continue;
    registry_.AddCallback(Kind::kCounter, "inferd_executions_total", "Executions by why they began as they were",
                          With(series->labels, "reason", std::string(core::BatchReasonName(reason))),
                          [series, i] { return static_cast<double>(series->Scheduling().executions[i]); });
  }
  registry_.AddCallback(Kind::kCounter, "inferd_resource_wait_seconds_total",
                        "Time that executions waited for what models share", series->labels,
                        [series] { return static_cast<double>(series->Scheduling().resource_wait_ns) * 1e-9; });
  registry_.AddCallback(Kind::kGauge, "inferd_inline_held_seconds",
                        "How long an execution that runs now has had a thread that serves connections", series->labels,
                        [series] { return static_cast<double>(series->Scheduling().inline_held_ns) * 1e-9; });
  registry_.AddCallback(Kind::kGauge, "inferd_moved_executions",
                        "Executions that run now, and whose thread had to leave its connections to another one",
                        series->labels,
                        [series] { return static_cast<double>(series->Scheduling().moved_executions); });
  if (report.batching) RegisterSharing(series);
  if (!report.sequences.strategy.empty()) RegisterSequences(series);
  if (report.concurrency.limit == 0) return;
  registry_.AddCallback(Kind::kGauge, "inferd_concurrency_limit", "Requests that the adaptive limit lets in",
                        series->labels,
                        [series] { return static_cast<double>(series->Scheduling().concurrency.limit); });
  registry_.AddCallback(Kind::kCounter, "inferd_requests_shed_total", "Requests refused by the adaptive limit",
                        series->labels,
                        [series] { return static_cast<double>(series->Scheduling().concurrency.shed); });
}

}  // namespace inferd::scheduling
