#include "serving/scheduling/sequence_scheduler.h"

#include <algorithm>
#include <string>
#include <utility>

#include "serving/core/model_version.h"
#include "serving/core/request/response_flow.h"
#include "serving/scheduling/queue/deadline_watch.h"
#include "serving/scheduling/sequence/control_tensors.h"

namespace inferd::scheduling {

namespace {

// The estimated time until a sequence ends, or waiting requests are answered.
constexpr int64_t kRetryAfterMs = 1000;

SequenceTable::Rules RulesOf(const config::ModelConfig& config, const std::vector<std::unique_ptr<SequenceLane>>& lanes,
                             const SchedulerOptions& options) {
  // Larger values would overflow; centuries are long enough.
  constexpr uint64_t kIdleUsMax = 1'000'000'000'000;
  const config::SequenceBatching& batching = *config.sequence_batching;
  return {.model = config.name,
          .lanes = lanes.size(),
          .rows = lanes.front()->slots(),
          .waiting_max = QueueSizeMax(config.queue_policy, options.queue_size_max),
          .idle_ns = static_cast<int64_t>(std::min(batching.max_idle_us, kIdleUsMax)) * 1000,
          .policy = config.queue_policy,
          .hold_until = static_cast<size_t>(std::max<int64_t>(options.delay_until_queued, 0)),
          .hold_until_backlog = static_cast<size_t>(std::max<int64_t>(options.delay_until_backlog, 0))};
}

// Adds one lane's report to the sum.
void Add(core::SchedulerReport& sum, const core::SchedulerReport& lane) {
  sum.instances += lane.instances;
  sum.busy_instances += lane.busy_instances;
  for (size_t i = 0; i < sum.levels.size() && i < lane.levels.size(); ++i) {
    sum.levels[i].requests += lane.levels[i].requests;
  }
  sum.mean_service_ns = std::max(sum.mean_service_ns, lane.mean_service_ns);
  sum.inline_held_ns = std::max(sum.inline_held_ns, lane.inline_held_ns);
  sum.moved_executions += lane.moved_executions;
  for (size_t i = 0; i < sum.executions.size(); ++i) sum.executions[i] += lane.executions[i];
  sum.resource_wait_ns += lane.resource_wait_ns;
  sum.sharing.failed += lane.sharing.failed;
  sum.sharing.repeated += lane.sharing.repeated;
  if (sum.sharing.stopped.empty()) sum.sharing.stopped = lane.sharing.stopped;
}

}  // namespace

struct SequenceScheduler::Pending {
  SequenceScheduler* scheduler = nullptr;
  Outcome outcome;
};

SequenceScheduler::SequenceScheduler(Parts parts, const SchedulerOptions& options, const SchedulerServices& services)
    : clock_(services.clock),
      deadlines_(services.deadlines),
      parts_(std::move(parts)),
      config_(*parts_.config),
      ignores_barred_timeouts_(options.ignores_barred_timeouts),
      refusals_(config_.name, *parts_.statistics, services.clock),
      table_(RulesOf(config_, parts_.lanes, options)) {
  deadline_id_ = deadlines_.Add([this] { return OnTime(); });
  parts_.metrics->ReportFrom([this] {
    core::SchedulerReport report;
    report.sequences = Report().sequences;
    return report;
  });
}

SequenceScheduler::~SequenceScheduler() {
  parts_.metrics->StopReporting();
  deadlines_.Remove(deadline_id_);
}

base::Status SequenceScheduler::Check(const core::QueuedRequest& queued) const {
  const core::InferRequest& request = *queued.request;
  if (request.timeout_us != 0 && !ignores_barred_timeouts_) {
    INFERD_RETURN_IF_ERROR(CheckTimeout(config_.queue_policy, request.timeout_us, config_.name));
  }
  for (const config::SequenceControl& control : config_.sequence_batching->controls) {
    if (control.kind != config::SequenceControlKind::kCorrid || !request.sequence.named()) continue;
    INFERD_RETURN_IF_ERROR(CheckCorrid(request.sequence, control.datatype)
                               .WithContext("inference request to model '" + config_.name + "'"));
  }
  return base::OkStatus();
}

void SequenceScheduler::Enqueue(core::QueuedRequest&& queued) {
  if (queued.warmup) return WarmUp(std::move(queued));
  // Destroyed last: this may destroy the scheduler.
  const std::shared_ptr<const core::ModelVersion> pin = queued.version;
  base::Status status = Check(queued);
  Outcome outcome;
  Pin released;
  {
    base::MutexLock lock(mutex_);
    const int64_t now_ns = clock_.NowNs();
    if (parts_.steps.iterative) {
      core::Sequence& sequence = queued.request->sequence;
      sequence.start = sequence.end = true;
      if (!sequence.named()) sequence.id = table_.NewId();
    }
    if (status.ok()) {
      status = table_.Add(queued, now_ns, outcome);
    } else {
      table_.Refuse(queued.request->sequence, now_ns, outcome);
    }
    // A request was already on its way here when the version was replaced.
    if (leaves_ns_ > now_ns && kept_ == nullptr) kept_ = pin;
    released = Tell();
  }
  if (!status.ok()) {
    const bool full = status.code() == base::StatusCode::kResourceExhausted;
    refusals_.Refuse(queued, std::move(status), full ? kRetryAfterMs : 0);
  }
  Carry(std::move(outcome));
}

// Sends a warm-up to the next lane, in turn, as a whole sequence.
void SequenceScheduler::WarmUp(core::QueuedRequest&& queued) {
  queued.request->sequence = {.id = uint64_t{1}, .start = true, .end = true};
  if (!parts_.steps.states.empty()) parts_.steps.states.Give(queued, {});
  const size_t lane = next_warmup_.fetch_add(1, std::memory_order_relaxed) % parts_.lanes.size();
  parts_.lanes[lane]->Enqueue(std::move(queued), 0);
}

bool SequenceScheduler::HasSequence(const core::Sequence& wanted) const {
  if (parts_.steps.iterative) return false;
  base::MutexLock lock(mutex_);
  return table_.Has(wanted);
}

void SequenceScheduler::EndSequence(const core::Sequence& wanted) {
  Outcome outcome;
  Pin released;
  {
    base::MutexLock lock(mutex_);
    table_.End(wanted, clock_.NowNs(), outcome);
    released = Tell();
  }
  Carry(std::move(outcome));
}

void SequenceScheduler::KeepForSequences(std::shared_ptr<const core::ModelVersion> version, int64_t until_ns) {
  Pin released;
  base::MutexLock lock(mutex_);
  leaves_ns_ = until_ns;
  released = std::exchange(kept_, std::move(version));
  Pin over = Tell();
  lock.unlock();
}

SequenceScheduler::Pin SequenceScheduler::Tell() {
  const size_t waiting = table_.waiting();
  if (waiting != pending_) {
    parts_.statistics->AddPending(static_cast<int64_t>(waiting) - static_cast<int64_t>(pending_));
    pending_ = waiting;
  }
  Pin released;
  if (kept_ != nullptr && (table_.empty() || leaves_ns_ <= clock_.NowNs())) released = std::move(kept_);
  const int64_t due_ns = Earlier(table_.due_ns(), kept_ == nullptr ? 0 : leaves_ns_);
  if (due_ns == 0 || (armed_ns_ != 0 && armed_ns_ <= due_ns)) return released;
  armed_ns_ = due_ns;
  deadlines_.Arm(deadline_id_, due_ns);
  return released;
}

void SequenceScheduler::Carry(Outcome outcome) {
  // Collects further outcomes while this thread is inside of Carry().
  static thread_local std::vector<Pending>* later = nullptr;
  if (outcome.starts.empty() && outcome.dropped.empty()) return;
  if (later != nullptr) {
    later->push_back({this, std::move(outcome)});
    return;
  }
  std::vector<Pending> pending;
  later = &pending;
  CarryNow(std::move(outcome));
  // The requests in the remaining outcomes keep their versions alive.
  for (size_t i = 0; i < pending.size(); ++i) {
    Pending next = std::move(pending[i]);
    next.scheduler->CarryNow(std::move(next.outcome));
  }
  later = nullptr;
}

void SequenceScheduler::CarryNow(Outcome outcome) {
  const auto& first = outcome.starts.empty() ? outcome.dropped.front().queued : outcome.starts.front().queued;
  // Destroyed last: this may destroy the scheduler.
  const std::shared_ptr<const core::ModelVersion> pin = first.version;
  // Dropped requests first, as they may precede others of their sequence.
  for (SequenceTable::Dropped& dropped : outcome.dropped) Answer(std::move(dropped));
  for (SequenceTable::Start& start : outcome.starts) Begin(std::move(start));
}

void SequenceScheduler::Begin(SequenceTable::Start start) {
  if (parts_.memory != nullptr && start.queued.request->sequence.start) {
    SequenceTable::EpochOf(*start.sequence) = parts_.memory->memory_epoch();
  }
  if (!parts_.steps.plain()) return BeginStep(std::move(start));
  core::QueuedRequest& queued = start.queued;
  queued.completion = core::Completion(
      [this, sequence = start.sequence, completion = std::move(queued.completion)](
          core::InferResponse&& response) mutable { OnResponse(*sequence, completion, std::move(response)); });
  parts_.lanes[start.slot.lane]->Enqueue(std::move(queued), start.slot.row);
}

void SequenceScheduler::BeginStep(SequenceTable::Start start) {
  core::QueuedRequest& queued = start.queued;
  SequenceTable::Sequence& sequence = *start.sequence;
  auto step = std::make_unique<SequenceStep>(parts_.steps, queued, SequenceTable::StateOf(sequence));
  queued.completion =
      core::Completion([this, &sequence, slot = start.slot, step = std::move(step),
                        completion = std::move(queued.completion)](core::InferResponse&& response) mutable {
        step->Take(response);
        if (response.final && step->GoesOn(response)) {
          SequenceTable::Start next{.queued = step->Again(clock_.NowNs()), .sequence = &sequence, .slot = slot};
          return GoOn(std::move(next), completion, std::move(response), step->AnswersBefore(response));
        }
        if (response.final) step->ReleaseSlot();
        OnResponse(sequence, completion, std::move(response));
      });
  parts_.lanes[start.slot.lane]->Enqueue(std::move(queued), start.slot.row);
}

// Executes the request again. `response` is either one of several, or only the wish for another execution.
void SequenceScheduler::GoOn(SequenceTable::Start next, core::Completion& completion, core::InferResponse response,
                             bool answers) {
  response.final = response.reschedule = false;
  if (answers) completion.Send(std::move(response));
  next.queued.completion = std::move(completion);
  // Back-pressure: while the client does not take its responses, no more are computed.
  const std::shared_ptr<core::ResponseFlow> flow = next.queued.request->flow;
  auto go = [this, next = std::move(next)]() mutable {
    Outcome outcome;
    outcome.starts.push_back(std::move(next));
    Carry(std::move(outcome));
  };
  if (flow == nullptr || flow->open()) return go();
  flow->WhenOpen(std::move(go));
}

void SequenceScheduler::Answer(SequenceTable::Dropped dropped) {
  if (dropped.verdict == QueueVerdict::kWait) return refusals_.Refuse(dropped.queued, std::move(dropped.status));
  DroppedEntries entries;
  auto& entry = entries.emplace_back(std::make_unique<QueueEntry>(), dropped.verdict).first;
  entry->queued = std::move(dropped.queued);
  parts_.statistics->AddPending(1);  // refusals_ subtracts it again
  refusals_.Answer(std::move(entries));
}

bool SequenceScheduler::IsForgotten(SequenceTable::Sequence& sequence) const {
  return parts_.memory != nullptr && parts_.memory->memory_epoch() != SequenceTable::EpochOf(sequence);
}

void SequenceScheduler::OnResponse(SequenceTable::Sequence& sequence, core::Completion& completion,
                                   core::InferResponse response) {
  const bool forgotten = IsForgotten(sequence);
  if (!response.final) {
    if (!forgotten) completion.Send(std::move(response));
    return;
  }
  if (forgotten) {
    response = core::InferResponse();
    response.status = base::Unavailable("the process that kept the sequence's state for model '" + config_.name +
                                        "' has ended, and the sequence with it: begin it anew");
  }
  const bool ok = response.status.ok();
  Outcome outcome;
  Pin released;
  // If no request waits, the sequence must have ended by the time that its client gets the response.
  bool told = false;
  {
    base::MutexLock lock(mutex_);
    if (forgotten) SequenceTable::Forget(sequence);
    if (SequenceTable::Ends(sequence, ok)) {
      table_.OnAnswered(sequence, ok, clock_.NowNs(), outcome);
      released = Tell();
      told = true;
    }
  }
  completion.Send(std::move(response));
  if (!told) {
    base::MutexLock lock(mutex_);
    table_.OnAnswered(sequence, ok, clock_.NowNs(), outcome);
    released = Tell();
  }
  Carry(std::move(outcome));
}

int64_t SequenceScheduler::OnTime() {
  Outcome outcome;
  Pin released;
  int64_t next_ns = 0;
  {
    base::MutexLock lock(mutex_);
    armed_ns_ = 0;
    table_.OnTime(clock_.NowNs(), outcome);
    released = Tell();
    next_ns = armed_ns_;
  }
  Carry(std::move(outcome));
  return next_ns;
}

bool SequenceScheduler::RunWoken() {
  return std::ranges::any_of(parts_.lanes, [](const auto& lane) { return lane->RunWoken(); });
}

core::SchedulerReport SequenceScheduler::Report() const {
  core::SchedulerReport report = parts_.lanes.front()->Report();
  for (size_t i = 1; i < parts_.lanes.size(); ++i) Add(report, parts_.lanes[i]->Report());
  report.inline_executions = parts_.statistics->inline_executions();
  base::MutexLock lock(mutex_);
  const SequenceTable::Counts& counts = table_.counts();
  const bool oldest = config_.sequence_batching->strategy == config::SequenceStrategy::kOldest;
  report.sequences = {.strategy = oldest ? "oldest" : "direct",
                      .slots = static_cast<int64_t>(table_.slots()),
                      .active = static_cast<int64_t>(table_.active()),
                      .backlog = static_cast<int64_t>(table_.backlog()),
                      .waiting = static_cast<int64_t>(table_.waiting()),
                      .waiting_max = static_cast<int64_t>(table_.waiting_max()),
                      .begun = counts.begun,
                      .ended = counts.ended,
                      .restarted = counts.restarted,
                      .idled = counts.idled,
                      .failed = counts.failed,
                      .refused = counts.refused};
  return report;
}

std::vector<core::BatchRecord> SequenceScheduler::RecentExecutions() const {
  std::vector<core::BatchRecord> records;
  for (size_t i = 0; i < parts_.lanes.size(); ++i) {
    for (core::BatchRecord& record : parts_.lanes[i]->RecentExecutions()) {
      record.instance = static_cast<int>(i);
      records.push_back(record);
    }
  }
  std::ranges::stable_sort(records, {}, &core::BatchRecord::started_wall_ms);
  if (records.size() > core::SchedulerReport::kRecentMax) {
    records.erase(records.begin(), records.end() - core::SchedulerReport::kRecentMax);
  }
  return records;
}

}  // namespace inferd::scheduling
