#include "serving/scheduling/batch/execution_recorder.h"

#include "serving/core/request/request_trace.h"
#include "serving/scheduling/metrics/batching_session_metrics.h"
#include "serving/scheduling/metrics/latency_summaries.h"

namespace inferd::scheduling {

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

void ExecutionRecorder::Begin(int64_t started_ns, const RowCount& rows, int64_t idle_rows) {
  started_ns_ = started_ns;
  rows_ = rows;
  idle_rows_ = idle_rows;
  recorded_.store(false, kRelaxed);
  inputs_ready_ns_.store(0, kRelaxed);
  infer_done_ns_.store(0, kRelaxed);
}

void ExecutionRecorder::RecordFailure(const core::QueuedRequest& queued, base::StatusCode code, int64_t now_ns) {
  if (queued.request->trace != nullptr) Trace(queued, now_ns);
  if (!queued.Counts(false)) return;
  const bool given_up = code == base::StatusCode::kCancelled || code == base::StatusCode::kDeadlineExceeded;
  context_.statistics.RecordFailure(given_up ? core::FailureReason::kCanceled : core::FailureReason::kBackend,
                                    now_ns - queued.queued_ns, queued.layout.rows);
}

void ExecutionRecorder::RecordResponse(const core::QueuedRequest& queued, const core::EngineResponse& response,
                                       ResponseTimes& times, int64_t now_ns) {
  if (queued.warmup) return;
  using core::ResponseOutcome;
  const base::StatusCode code = response.status.code();
  const bool given_up = code == base::StatusCode::kCancelled || code == base::StatusCode::kDeadlineExceeded;
  const ResponseOutcome outcome = given_up                   ? ResponseOutcome::kCancel
                                  : !response.status.ok()    ? ResponseOutcome::kFail
                                  : response.outputs.empty() ? ResponseOutcome::kEmpty
                                                             : ResponseOutcome::kSuccess;
  const bool first = times.before_ns == 0;
  const int64_t received_ns = times.received_ns == 0 ? now_ns : times.received_ns;
  context_.statistics.responses().Record(times.index, outcome, received_ns - (first ? started_ns_ : times.before_ns),
                                         now_ns - received_ns);
  // For a waiting client, a message that only ends the stream is not a response.
  if (outcome == ResponseOutcome::kSuccess && first) context_.metrics.ObserveFirstResponse(now_ns - queued.queued_ns);
  if (outcome == ResponseOutcome::kSuccess && !first) context_.metrics.ObserveNextResponse(now_ns - times.before_ns);
  times = {.index = times.index + 1, .received_ns = 0, .before_ns = now_ns};
}

void ExecutionRecorder::Add(const core::QueuedRequest& queued, int64_t now_ns, Successes& successes) {
  if (queued.request->trace != nullptr) Trace(queued, now_ns);
  if (queued.warmup) return;
  ++successes.executed;
  if (context_.batching_session != nullptr) {
    context_.batching_session->ObserveRequest(queued.layout.rows, started_ns_ - queued.queued_ns);
  }
  if (!queued.Counts(true)) return;
  ++successes.requests;
  successes.total_ns += now_ns - queued.queued_ns;
  context_.statistics.RecordRequest(queued.layout.rows, now_ns - queued.queued_ns, started_ns_ - queued.queued_ns);
  context_.metrics.ObserveRequest(now_ns - queued.queued_ns);
  if (LatencySummaries* const summaries = context_.metrics.summaries(); summaries != nullptr) {
    summaries->ObserveRequest(now_ns - queued.queued_ns, started_ns_ - queued.queued_ns);
  }
}

void ExecutionRecorder::Record(const Successes& successes, int64_t now_ns) {
  if (successes.executed == 0) return;
  const core::PhaseTimes times = ComputeTimes(now_ns);
  const int64_t requests = successes.requests;
  if (requests > 0) {
    const core::PhaseTimes together{.queue_ns = successes.total_ns - requests * (now_ns - started_ns_),
                                    .compute_input_ns = requests * times.compute_input_ns,
                                    .compute_infer_ns = requests * times.compute_infer_ns,
                                    .compute_output_ns = requests * times.compute_output_ns};
    context_.statistics.RecordSuccess(successes.total_ns, together, context_.clock.WallNs() / 1'000'000,
                                      static_cast<uint64_t>(requests));
    if (LatencySummaries* const summaries = context_.metrics.summaries(); summaries != nullptr) {
      summaries->ObserveExecution(times, requests);
    }
  }
  if (recorded_.exchange(true, kRelaxed)) return;
  context_.statistics.RecordExecution(rows_.requested, times, idle_rows_);
  context_.metrics.ObserveExecution(rows_.requested, rows_.padding);
  if (context_.batching_session == nullptr) return;
  context_.batching_session->ObserveExecution(rows_.requested, rows_.padding);
}

void ExecutionRecorder::Trace(const core::QueuedRequest& queued, int64_t now_ns) const {
  using core::TraceActivity;
  core::RequestTrace& trace = *queued.request->trace;
  const core::PhaseTimes times = ComputeTimes(now_ns);
  trace.Add(TraceActivity::kComputeStart, started_ns_);
  trace.Add(TraceActivity::kComputeInputEnd, started_ns_ + times.compute_input_ns);
  trace.Add(TraceActivity::kComputeOutputStart, now_ns - times.compute_output_ns);
  trace.Add(TraceActivity::kComputeEnd, now_ns);
  for (const core::InferTensor& input : queued.request->inputs) {
    trace.AddTensor(TraceActivity::kTensorBackendInput, input);
  }
}

core::PhaseTimes ExecutionRecorder::ComputeTimes(int64_t now_ns) const {
  const int64_t inputs_ready_ns = inputs_ready_ns_.load(kRelaxed) == 0 ? started_ns_ : inputs_ready_ns_.load(kRelaxed);
  const int64_t infer_done_ns = infer_done_ns_.load(kRelaxed) == 0 ? now_ns : infer_done_ns_.load(kRelaxed);
  return {.compute_input_ns = inputs_ready_ns - started_ns_,
          .compute_infer_ns = infer_done_ns - inputs_ready_ns,
          .compute_output_ns = now_ns - infer_done_ns};
}

}  // namespace inferd::scheduling
