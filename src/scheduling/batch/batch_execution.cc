#include "scheduling/batch/batch_execution.h"

#include <utility>

#include "core/model_version.h"
#include "core/request_timeout.h"
#include "scheduling/batch/batch_padding.h"
#include "scheduling/batch/largest_shape.h"
#include "scheduling/batching_session_metrics.h"

namespace inferd::scheduling {

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
}  // namespace

int64_t BatchExecution::row_count() const {
  int64_t total = 0;
  for (const auto& member : members_) {
    if (__builtin_add_overflow(total, member->queued.layout.rows, &total)) return INT64_MAX;
  }
  return total;
}

bool BatchExecution::Begin(int64_t started_ns) {
  state_.store(State::kRunning, kRelaxed);
  recorded_.store(false, kRelaxed);
  inputs_ready_ns_.store(0, kRelaxed);
  infer_done_ns_.store(0, kRelaxed);
  started_ns_ = started_ns;
  row_count_ = {.requested = row_count(), .padding = 0};
  row_count_.padding = MissingRows(context_.allowed_rows, row_count_.requested);
  progress_.assign(members_.size(), {});
  rows.clear();
  for (const auto& member : members_) rows.push_back(member->queued.layout.rows);
  if (row_count_.padding > 0) rows.push_back(row_count_.padding);
  output_layout_.LayOut(members_, outputs);
  if (!MayBePadded(context_, members_)) return RunApart();
  const base::Status status = LayOutInputs(context_, members_, row_count_, inputs);
  if (status.ok()) return true;
  FailAll(status, false);
  state_.store(State::kFinished, kRelaxed);
  return false;
}

// What they would be together is out of proportion to what they are.
bool BatchExecution::RunApart() {
  for (Progress& progress : progress_) progress.final = progress.retry = true;
  state_.store(State::kFinished, kRelaxed);
  return false;
}

bool BatchExecution::Returned() {
  return state_.exchange(State::kDetached, std::memory_order_acq_rel) == State::kFinished;
}

void BatchExecution::Clear(Remains& remains) {
  for (core::ExecutionInput& input : inputs) input.pieces.clear();
  for (size_t i = 0; i < members_.size(); ++i) {
    core::QueuedRequest& queued = members_[i]->queued;
    if (progress_[i].retry) {
      members_[i]->alone = true;
      remains.retries.push_back(std::move(members_[i]));
      continue;
    }
    queued.request.reset();
    queued.layout = {};
    remains.entries.push_back(std::move(members_[i]));
  }
  members_.clear();
}

bool BatchExecution::CancelledByClient(size_t i) const {
  const core::InferRequest& request = *members_[i]->queued.request;
  return request.cancel != nullptr && request.cancel->cancelled();
}

bool BatchExecution::PastDeadline(size_t i) const {
  const int64_t deadline_ns = members_[i]->queued.request->deadline_ns;
  return deadline_ns != 0 && deadline_ns <= context_.clock.NowNs();
}

void BatchExecution::Respond(size_t i, base::Status status, std::vector<core::InferTensor> tensors, bool final) {
  if (i >= members_.size() || progress_[i].final) return;
  const bool end_of_stream = tensors.empty() && final && progress_[i].responses > 0;
  if (status.ok() && !end_of_stream) status = output_layout_.Pick(members_[i]->queued, tensors);
  Answer(i, std::move(status), std::move(tensors), final, context_.clock.NowNs());
}

void BatchExecution::RespondAll(base::Status status, std::vector<core::InferTensor> tensors) {
  if (!status.ok()) return FailAll(status, true);
  if (rows.size() == 1) return Respond(0, std::move(status), std::move(tensors), true);
  status = output_layout_.Split(members_, row_count_, tensors);
  if (!status.ok()) return FailAll(status, false);
  const int64_t now_ns = context_.clock.NowNs();
  RecordSuccesses(0, members_.size(), now_ns);
  for (size_t i = 0; i < members_.size(); ++i) {
    if (!progress_[i].final) Send(i, base::OkStatus(), output_layout_.ShareOf(members_, i, tensors), true);
  }
}

// A failure of all may be the fault of one, so each may get a chance of its own. Not if the engine is lost: what it
// died of would kill the next one too.
void BatchExecution::FailAll(const base::Status& status, bool may_retry) {
  failure_ = status;
  const int64_t now_ns = context_.clock.NowNs();
  const bool retries =
      may_retry && context_.retries_members && members_.size() > 1 && status.code() != base::StatusCode::kUnavailable;
  for (size_t i = 0; i < members_.size(); ++i) {
    Progress& progress = progress_[i];
    if (progress.final) continue;
    if (!retries || progress.responses > 0 || members_[i]->alone) {
      Answer(i, status, {}, true, now_ns);
    } else if (IsCancelled(i)) {  // in vain, but no reason to blame it for what another has done
      Answer(i, base::Cancelled("the request was cancelled"), {}, true, now_ns);
    } else {
      progress.final = progress.retry = true;
    }
  }
}

void BatchExecution::Answer(size_t i, base::Status status, std::vector<core::InferTensor> tensors, bool final,
                            int64_t now_ns) {
  // An engine does not know why it was to stop.
  if (status.code() == base::StatusCode::kCancelled && !CancelledByClient(i) && PastDeadline(i)) {
    status = core::RequestTimeout();
  }
  // An error ends the request, whatever the engine meant to send after it.
  if (!status.ok()) {
    final = true;
    tensors.clear();
    RecordFailure(i, status.code(), now_ns);
  } else if (final) {
    RecordSuccesses(i, i + 1, now_ns);
  }
  Send(i, std::move(status), std::move(tensors), final);
}

void BatchExecution::Send(size_t i, base::Status status, std::vector<core::InferTensor> tensors, bool final) {
  core::InferResponse response;
  response.status = std::move(status);
  response.outputs = std::move(tensors);
  response.final = final;
  progress_[i].final = final;
  ++progress_[i].responses;
  members_[i]->queued.Answer(std::move(response));
}

void BatchExecution::RecordFailure(size_t i, base::StatusCode code, int64_t now_ns) {
  const core::QueuedRequest& queued = members_[i]->queued;
  if (!queued.Counts(false)) return;
  const bool given_up = code == base::StatusCode::kCancelled || code == base::StatusCode::kDeadlineExceeded;
  context_.statistics.RecordFailure(given_up ? core::FailureReason::kCanceled : core::FailureReason::kBackend,
                                    now_ns - queued.queued_ns);
}

core::PhaseTimes BatchExecution::ComputeTimes(int64_t now_ns) const {
  const int64_t inputs_ready_ns = inputs_ready_ns_.load(kRelaxed) == 0 ? started_ns_ : inputs_ready_ns_.load(kRelaxed);
  const int64_t infer_done_ns = infer_done_ns_.load(kRelaxed) == 0 ? now_ns : infer_done_ns_.load(kRelaxed);
  return {.compute_input_ns = inputs_ready_ns - started_ns_,
          .compute_infer_ns = infer_done_ns - inputs_ready_ns,
          .compute_output_ns = now_ns - infer_done_ns};
}

// Counted together: that is one access to each number, which other threads share, for all of them.
void BatchExecution::RecordSuccesses(size_t begin, size_t end, int64_t now_ns) {
  int64_t executed = 0;
  int64_t requests = 0;
  int64_t total_ns = 0;
  for (size_t i = begin; i < end; ++i) {
    const core::QueuedRequest& queued = members_[i]->queued;
    if (progress_[i].final || queued.warmup) continue;
    ++executed;
    if (context_.batching_session != nullptr) {
      context_.batching_session->ObserveRequest(queued.layout.rows, started_ns_ - queued.queued_ns);
    }
    if (!queued.Counts(true)) continue;
    ++requests;
    total_ns += now_ns - queued.queued_ns;
    context_.metrics.ObserveRequest(now_ns - queued.queued_ns);
  }
  if (executed == 0) return;
  const core::PhaseTimes times = ComputeTimes(now_ns);
  if (requests > 0) {
    const core::PhaseTimes together{.queue_ns = total_ns - requests * (now_ns - started_ns_),
                                    .compute_input_ns = requests * times.compute_input_ns,
                                    .compute_infer_ns = requests * times.compute_infer_ns,
                                    .compute_output_ns = requests * times.compute_output_ns};
    context_.statistics.RecordSuccess(total_ns, together, context_.clock.WallNs() / 1'000'000,
                                      static_cast<uint64_t>(requests));
  }
  if (recorded_.exchange(true, kRelaxed)) return;
  context_.statistics.RecordExecution(row_count_.requested, times);
  context_.metrics.ObserveExecution(row_count_.requested, row_count_.padding);
  if (context_.batching_session == nullptr) return;
  context_.batching_session->ObserveExecution(row_count_.requested, row_count_.padding);
}

void BatchExecution::Finish() {
  for (size_t i = 0; i < members_.size(); ++i) {
    if (!progress_[i].final) Respond(i, base::Internal("the engine finished without an answer"), {}, true);
  }
  if (state_.exchange(State::kFinished, std::memory_order_acq_rel) != State::kDetached) return;
  HandBackRetries();
  delete this;
}

// Nobody waits for this execution, so nobody would find them in its remains.
void BatchExecution::HandBackRetries() {
  if (context_.run_again == nullptr) {
    for (size_t i = 0; i < members_.size(); ++i) {
      if (std::exchange(progress_[i].retry, false)) Answer(i, failure_, {}, true, context_.clock.NowNs());
    }
    return;
  }
  // Keeps the scheduler while it takes them over: they may be answered before it has.
  const std::shared_ptr<const core::ModelVersion> pin = members_[0]->queued.version;
  Remains remains;
  Clear(remains);
  if (!remains.retries.empty()) context_.run_again(std::move(remains.retries));
}

}  // namespace inferd::scheduling
