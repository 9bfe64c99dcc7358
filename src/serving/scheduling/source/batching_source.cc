#include "serving/scheduling/source/batching_source.h"

#include <algorithm>
#include <utility>

namespace inferd::scheduling {

namespace {

int64_t ObjectiveNs(const config::ModelConfig& config, int64_t otherwise_ns) {
  const auto model_ns = static_cast<int64_t>(std::min<uint64_t>(config.latency_objective_us, 1'000'000'000)) * 1000;
  return model_ns == 0 ? otherwise_ns : model_ns;
}

// Returns true if the batch would not grow by waiting for an instance.
bool IsComplete(core::BatchReason reason) {
  return reason != core::BatchReason::kNoneWaiting && reason != core::BatchReason::kNotBatching;
}

// Returns true if other requests of the same kind may have been left waiting.
bool IsFull(core::BatchReason reason) {
  return reason == core::BatchReason::kFull || reason == core::BatchReason::kPreferredSize ||
         reason == core::BatchReason::kCautious;
}

}  // namespace

BatchingSource::BatchingSource(const Parts& parts)
    : config_(parts.config),
      statistics_(parts.statistics),
      sharing_(parts.sharing),
      admission_(parts.admission),
      figures_(parts.figures),
      memory_(parts.memory),
      objective_ns_(ObjectiveNs(parts.config, parts.latency_objective_ns)),
      rules_(MakeBatchRules(parts.config, parts.signature, parts.delay_until_queued)),
      batching_(rules_.batching),
      rows_max_(rules_.rows_max),
      waiting_(parts.config, parts.signature, parts.significant, parts.queue_size_max) {
  if (batching_ && config_.batching == config::BatchingMode::kAuto) {
    tuner_.emplace(objective_ns_, rows_max_, parts.instances);
  }
  // More requests than there is room for will never wait. With an adaptive limit, perhaps not even two will.
  const auto room = static_cast<int64_t>(waiting_.size_max(PriorityLevel(config_, 0).value_or(1)));
  rules_.hold_until_requests = admission_.active() ? 0 : std::min(rules_.hold_until_requests, room);
}

void BatchingSource::RecordArrival(const QueueEntry& entry) {
  if (!tuner_.has_value()) return;
  tuner_->RecordArrival(entry.queued.layout.rows, static_cast<int64_t>(waiting_.size()) + running_);
}

bool BatchingSource::IsPreferred(int64_t rows) const { return std::ranges::binary_search(rules_.preferred_rows, rows); }

std::optional<core::BatchReason> BatchingSource::BeginsAtOnce(const QueueEntry& entry) {
  if (!waiting_.empty()) return std::nullopt;
  const core::QueuedRequest& queued = entry.queued;
  const WaitingSummary summary{.requests = 1,
                               .rows = queued.layout.rows,
                               .sharing = 1,
                               .preferred_rows = IsPreferred(queued.layout.rows) ? queued.layout.rows : 0,
                               .alone = entry.alone,
                               .oldest_ns = queued.queued_ns,
                               .expires_ns = queued.request->deadline_ns};
  Retune(queued.queued_ns);
  const BatchDecision decision = DecideBatch(rules_, summary, queued.queued_ns, figures_.mean_service_ns());
  if (!decision.begin) return std::nullopt;
  return decision.reason;
}

FormedBatch BatchingSource::FormLone(std::unique_ptr<QueueEntry> entry, core::BatchReason reason) {
  taken_.push_back(std::move(entry));
  return Form(reason);
}

std::unique_ptr<QueueEntry> BatchingSource::Push(std::unique_ptr<QueueEntry> entry, int64_t now_ns,
                                                 DroppedEntries& dropped) {
  entry->arrival = ++arrivals_;
  const QueueEntry& waits = *entry;
  std::unique_ptr<QueueEntry> refused = waiting_.Push(std::move(entry), now_ns, dropped);
  if (refused != nullptr) return refused;
  statistics_.AddPending(1);
  const int64_t sweep_ns = waits.queued.request->cancel == nullptr ? 0 : now_ns + kCancelSweepNs;
  sweep_ns_ = Earlier(sweep_ns_, Earlier(LeavesNs(waits), sweep_ns));
  return nullptr;
}

void BatchingSource::PushAgain(std::vector<std::unique_ptr<QueueEntry>>& entries) {
  statistics_.AddPending(static_cast<int64_t>(entries.size()));
  while (!entries.empty()) {
    entries.back()->alone = entries.back()->retry = true;
    waiting_.PushFront(std::move(entries.back()));
    entries.pop_back();
  }
}

std::unique_ptr<QueueEntry> BatchingSource::TakeLessUrgent(uint64_t level, int64_t now_ns, DroppedEntries& dropped) {
  std::unique_ptr<QueueEntry> last = waiting_.TakeLessUrgent(level, now_ns, dropped);
  if (last != nullptr) statistics_.AddPending(-1);
  return last;
}

void BatchingSource::DropAll(int64_t now_ns, DroppedEntries& dropped) {
  while (!waiting_.empty()) {
    // One key at a time, since taken_ would otherwise exclude all others.
    waiting_.Take(rows_max_, 0, now_ns, taken_, dropped);
    for (auto& entry : taken_) dropped.emplace_back(std::move(entry), QueueVerdict::kNoThread);
    taken_.clear();
  }
}

bool BatchingSource::Ready(int64_t woken, int64_t now_ns, DroppedEntries& dropped) {
  if (static_cast<int64_t>(ahead_.size()) > woken) return true;
  if (waiting_.empty()) return false;
  const int64_t waits = batching_ ? waiting_.rows() : static_cast<int64_t>(waiting_.size());
  const int64_t shares = rules_.requests_max == 0 ? rows_max_ : std::min(rows_max_, rules_.requests_max);
  return waits > woken * shares && Decide(now_ns, dropped).begin;
}

void BatchingSource::FormAhead(size_t instances, int64_t now_ns, DroppedEntries& dropped) {
  if (!config_.eager_batching || ahead_.size() >= instances || waiting_.empty()) return;
  const BatchDecision decision = Decide(now_ns, dropped);
  if (!decision.begin || !IsComplete(decision.reason)) return;
  const FormedBatch batch = TakeBatch(decision, nullptr, now_ns, dropped);
  if (batch.execution != nullptr) ahead_.push_back(batch);
}

FormedBatch BatchingSource::Take(const InlineGate* gate, int64_t now_ns, DroppedEntries& dropped) {
  FormedBatch batch;
  if (!ahead_.empty()) {
    batch = ahead_.front();
    ahead_.pop_front();
  }
  while (batch.execution == nullptr && !waiting_.empty()) {
    const BatchDecision decision = Decide(now_ns, dropped);
    if (!decision.begin) break;
    batch = TakeBatch(decision, gate, now_ns, dropped);
  }
  return batch;
}

void BatchingSource::RecordFinished(const FormedBatch& batch) {
  if (tuner_.has_value()) tuner_->RecordExecution(batch.record.rows, batch.record.service_ns, batch.waited);
  running_ -= batch.record.requests;
}

void BatchingSource::OnTime(int64_t now_ns, DroppedEntries& dropped) {
  if (sweep_ns_ != 0 && sweep_ns_ <= now_ns) {
    waiting_.Expire(now_ns, dropped);
    sweep_ns_ = waiting_.NextExpiryNs(now_ns, kCancelSweepNs);
    // If many requests expire one by one, one scan handles several of them.
    if (sweep_ns_ != 0) sweep_ns_ = std::max(sweep_ns_, now_ns + kExpiryPauseNs);
  }
  if (delay_over_ns_ <= now_ns) delay_over_ns_ = 0;
}

void BatchingSource::Report(core::SchedulerReport& report) const {
  report.batching = rules_.batching && !sharing_.stopped();
  report.rows_max = rules_.rows_max;
  report.preferred_rows = rules_.preferred_rows;
  report.delay_ns = rules_.delay_ns;
  report.levels = waiting_.Report();
  if (tuner_.has_value()) {
    report.tuning = {.active = true,
                     .objective_ns = objective_ns_,
                     .rows_per_second = tuner_->rows_per_second(),
                     .first_row_ns = tuner_->first_row_ns(),
                     .further_row_ns = tuner_->further_row_ns(),
                     .explanation = tuning_explanation_};
  }
}

BatchDecision BatchingSource::Decide(int64_t now_ns, DroppedEntries& dropped) {
  Retune(now_ns);
  const int64_t service_ns = figures_.mean_service_ns();
  WaitingSummary summary = waiting_.Summarize(now_ns, service_ns, dropped);
  const bool several_rows = summary.rows > summary.sharing;
  if (several_rows && rules_.delay_ns > 0 && !rules_.preferred_rows.empty()) {
    summary.preferred_rows = waiting_.PreferredRows(rules_.preferred_rows);
  }
  // Holds only once, even if some of the requests leave again.
  if (summary.requests >= rules_.hold_until_requests) rules_.hold_until_requests = 0;
  const BatchDecision decision = DecideBatch(rules_, summary, now_ns, service_ns);
  if (!decision.begin) delay_over_ns_ = decision.wait_until_ns;
  return decision;
}

// Returns no execution if all these requests were given up.
FormedBatch BatchingSource::TakeBatch(const BatchDecision& decision, const InlineGate* gate, int64_t now_ns,
                                      DroppedEntries& dropped) {
  const int64_t rows = gate == nullptr ? decision.rows : gate->RowsToTake(decision.rows);
  const bool more = waiting_.Take(rows, decision.requests, now_ns, taken_, dropped);
  if (taken_.empty()) return {};
  statistics_.AddPending(-static_cast<int64_t>(taken_.size()));
  FormedBatch batch = Form(decision.reason);
  if (rows < decision.rows) {
    batch.record.reason = core::BatchReason::kQuickSize;
  } else if (more && batch.record.rows < rows) {
    batch.record.reason = core::BatchReason::kFull;
  }
  if (batching_) {
    const bool full = IsFull(batch.record.reason) || !rules_.batching;
    admission_.RecordBatch(running_, full ? batch.record.left_waiting : 0);
  }
  return batch;
}

// Forms an execution of taken_.
FormedBatch BatchingSource::Form(core::BatchReason reason) {
  FormedBatch batch = memory_.Form(taken_, reason);
  batch.waited = rules_.delay_ns > 0;
  batch.record.left_waiting = static_cast<int64_t>(waiting_.size());
  running_ += batch.record.requests;
  return batch;
}

void BatchingSource::Retune(int64_t now_ns) {
  LimitSharing();
  if (!tuner_.has_value()) return;
  const BatchTuner::Choice& choice = tuner_->choice(now_ns);
  tuning_explanation_ = choice.explanation;
  // A configured delay takes precedence over the measured one.
  if (config_.dynamic_batching.has_value() && config_.dynamic_batching->max_queue_delay_us > 0) return;
  rules_.delay_ns = choice.delay_ns;
  if (rules_.preferred_rows.empty()) rules_.enough_rows = choice.rows;
}

void BatchingSource::LimitSharing() {
  rules_.requests_max = sharing_.requests_max();
  if (!rules_.batching || !sharing_.stopped()) return;
  rules_ = BatchRules();
  rules_.requests_max = 1;
  tuner_.reset();
}

}  // namespace inferd::scheduling
