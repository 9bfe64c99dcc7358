#include "serving/scheduling/batch/batch_execution.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/device_memory.h"
#include "serving/core/model_version.h"
#include "serving/core/request/request_timeout.h"
#include "serving/scheduling/batch/batch_padding.h"
#include "serving/scheduling/batch/largest_shape.h"
#include "serving/scheduling/batch/output_charge.h"
#include "serving/scheduling/policy/inline_gate.h"

namespace inferd::scheduling {

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

bool CancelledByClient(const core::InferRequest& request) {
  return request.cancel != nullptr && request.cancel->cancelled();
}

bool PastDeadline(const core::InferRequest& request, const base::Clock& clock) {
  return request.deadline_ns != 0 && request.deadline_ns <= clock.NowNs();
}

}  // namespace

int64_t BatchExecution::row_count() const {
  int64_t total = 0;
  for (const auto& member : members_) {
    if (__builtin_add_overflow(total, member->queued.layout.rows, &total)) return INT64_MAX;
  }
  return total;
}

int64_t BatchExecution::idle_rows() const {
  return std::ranges::count_if(members_, [](const auto& member) { return member->idle; });
}

bool BatchExecution::Begin(int64_t started_ns) {
  state_.store(State::kRunning, kRelaxed);
  charges_.Begin();
  started_ns_ = started_ns;
  row_count_ = {.requested = row_count(), .padding = 0};
  const bool fills_up = context_.sharing == nullptr || context_.sharing->may_fill_up();
  row_count_.padding = fills_up ? MissingRows(context_.allowed_rows, row_count_.requested) : 0;
  const int64_t idle = context_.signature.sequences ? idle_rows() : 0;
  recorder_.Begin(started_ns, {.requested = row_count_.requested - idle, .padding = row_count_.padding + idle}, idle);
  progress_.assign(members_.size(), {});
  rows.clear();
  for (const auto& member : members_) rows.push_back(member->queued.layout.rows);
  if (row_count_.padding > 0) rows.push_back(row_count_.padding);
  output_layout_.LayOut(members_, outputs);
  if (!MayBePadded(context_, members_)) return RunApart();
  const base::Status status = LayOutInputs(context_, members_, row_count_, inputs);
  if (status.ok()) return true;
  // Inputs that are too large together may fit separately.
  if (members_.size() > 1) return RunApart();
  Answer(0, {status}, context_.clock.NowNs());
  state_.store(State::kFinished, kRelaxed);
  return false;
}

bool BatchExecution::RunApart() {
  for (Progress& progress : progress_) progress.final = progress.retry = true;
  state_.store(State::kFinished, kRelaxed);
  return false;
}

bool BatchExecution::Leave(FinishedCallback finished) {
  finished_ = std::move(finished);
  return state_.exchange(State::kLeft, std::memory_order_acq_rel) != State::kFinished;
}

void BatchExecution::Clear(Remains& remains) {
  for (core::ExecutionInput& input : inputs) input.pieces.clear();
  for (size_t i = 0; i < members_.size(); ++i) {
    core::QueuedRequest& queued = members_[i]->queued;
    if (progress_[i].retry) {
      members_[i]->alone = true;
      members_[i]->evicted |= progress_[i].evicted;
      remains.retries.push_back(std::move(members_[i]));
      continue;
    }
    queued.request.reset();
    queued.layout = {};
    remains.entries.push_back(std::move(members_[i]));
  }
  members_.clear();
}

bool BatchExecution::GivenUp(size_t i) const {
  const core::InferRequest& request = *members_[i]->queued.request;
  return CancelledByClient(request) || PastDeadline(request, context_.clock);
}

// Empty if the request names no memory that the engine can write to, or the output would share it.
base::Buffer BatchExecution::NamedMemory(int output, size_t bytes, base::MemoryPlace wish) const {
  if (rows.size() != 1) return {};
  const core::QueuedRequest& member = members_.front()->queued;
  const auto& requested = member.request->outputs;
  for (size_t i = 0; i < requested.size() && i < member.layout.outputs.size(); ++i) {
    if (context_.engine_outputs[member.layout.outputs[i]] != output) continue;
    const base::Buffer& memory = requested[i].memory;
    const bool on_device = context_.signature.outputs[member.layout.outputs[i]].takes_device_memory;
    const bool reachable = memory.place().readable() || (on_device && memory.place() == wish);
    const bool aligned = reinterpret_cast<uintptr_t>(memory.data()) % base::kBufferAlignment == 0;
    return reachable && aligned && memory.size() >= bytes ? memory : base::Buffer();
  }
  return {};
}

base::Buffer BatchExecution::AllocateOutput(int output, size_t bytes, base::MemoryPlace wish) {
  if (base::Buffer named = NamedMemory(output, bytes, wish)) return named;
  if (base::Buffer there = DeviceMemory(output, bytes, wish)) return there;
  return charges_.Allocate(bytes);
}

// Empty if the output is not wanted on the device, or there is no room.
base::Buffer BatchExecution::DeviceMemory(int output, size_t bytes, base::MemoryPlace wish) const {
  if (wish.readable() || !TakesOnDevice(output)) return {};
  base::DeviceMemory* const runtime = base::FindDeviceMemory(wish.runtime);
  return runtime == nullptr ? base::Buffer() : runtime->Allocate(wish, bytes).value_or(base::Buffer());
}

bool BatchExecution::TakesOnDevice(int output) const {
  bool any = false;
  for (const auto& member : members_) {
    const auto& wanted = member->queued.layout.outputs;
    const auto& requested = member->queued.request->outputs;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (context_.engine_outputs[wanted[i]] != output) continue;
      const bool untouched = context_.signature.outputs[wanted[i]].takes_device_memory;
      if (!untouched || i >= requested.size()) return false;
      if (!requested[i].on_device && requested[i].memory.place().readable()) return false;
      any = true;
    }
  }
  return any;
}

// Engines call this now and then, on threads of their own. So the computing thread need not read the clock.
bool BatchExecution::Evicted() const {
  if (inline_run_ == nullptr || inline_run_->since_ns.load(kRelaxed) != started_ns_) return false;
  if (members_.front()->evicted) return false;
  size_t bytes = 0;
  for (const auto& member : members_) bytes = std::max(bytes, member->queued.request->InputBytes());
  return context_.clock.NowNs() - started_ns_ >= inline_run_->ns_max + InlineGate::MovingNs(bytes);
}

bool BatchExecution::PutBack(size_t i, const base::Status& status) {
  Progress& progress = progress_[i];
  if (status.code() != base::StatusCode::kCancelled || progress.responses > 0 || !Evicted() || GivenUp(i)) return false;
  progress.final = progress.retry = progress.evicted = true;
  return true;
}

void BatchExecution::Respond(size_t i, core::EngineResponse response) {
  const base::Turn::Recall recall;
  base::Status& status = response.status;
  if (i >= members_.size() || progress_[i].final || PutBack(i, status)) return;
  if (context_.signature.decoupled) progress_[i].times.received_ns = context_.clock.NowNs();
  const bool begun = progress_[i].responses > 0 || context_.signature.decoupled;
  const bool end_of_stream = response.outputs.empty() && response.final && (begun || response.reschedule);
  const bool succeeded = status.ok();
  if (status.ok() && response.reschedule) status = Reschedule(i);
  if (status.ok() && !end_of_stream) status = output_layout_.Pick(members_[i]->queued, response.outputs);
  if (status.ok()) status = charges_.Charge(response.outputs);
  charges_.Explain(status);
  // The engine's own failure is an ordinary response. A response that cannot be sent ends the request.
  if (succeeded && !status.ok()) response.final = true;
  Answer(i, std::move(response), context_.clock.NowNs());
}

void BatchExecution::RespondAll(core::EngineResponse response) {
  base::Status& status = response.status;
  std::vector<core::InferTensor>& tensors = response.outputs;
  response.final = true;
  if (status.ok() && rows.size() == 1) return Respond(0, std::move(response));
  const base::Turn::Recall recall;
  if (!status.ok()) return FailAll(status);
  if (status = output_layout_.Arrange(tensors); !status.ok()) return FailAll(status);
  if (status = charges_.Charge(tensors); !status.ok()) return FailAll(status);
  if (status = output_layout_.Split(members_, row_count_, tensors); !status.ok()) {
    if (context_.sharing != nullptr) context_.sharing->RecordWrongRows(status.message());
    return FailAll(status);
  }
  for (size_t i = 0; response.reschedule && i < members_.size(); ++i) {
    if (status = Reschedule(i); !status.ok()) return FailAll(status);
  }
  const int64_t now_ns = context_.clock.NowNs();
  RecordSuccesses(0, members_.size(), now_ns);
  for (size_t i = 0; i < members_.size(); ++i) {
    if (progress_[i].final) continue;
    Send(i, {.outputs = output_layout_.ShareOf(members_, i, tensors),
             .parameters = response.parameters,
             .reschedule = response.reschedule});
  }
}

base::Status BatchExecution::Reschedule(size_t i) {
  if (!context_.reschedules) {
    return base::Internal(
        "the engine wants a request executed again, which takes iterative_sequence in the model's "
        "configuration");
  }
  // Two parts: this response, and the next execution.
  members_[i]->queued.parts = std::make_shared<core::PartTally>(2);
  return base::OkStatus();
}

// One member may have caused the failure of all, so each may run again alone. Not if the engine is lost: the cause
// would kill the next one, too. A lone member has had its try, except if the rows that filled up its batch made its
// outputs indistinguishable: the next time there will be no such rows.
bool BatchExecution::MayRepeat(const base::Status& status) const {
  if (!context_.retries_members || status.code() == base::StatusCode::kUnavailable) return false;
  // A second result could not be kept either.
  const bool no_room = context_.outputs != nullptr && context_.outputs->nearly_used_up();
  if (status.code() == base::StatusCode::kResourceExhausted && no_room) return false;
  if (members_.size() > 1) return true;
  return row_count_.padding > 0 && context_.sharing != nullptr && !context_.sharing->may_fill_up();
}

void BatchExecution::FailAll(base::Status status) {
  charges_.Explain(status);
  const int64_t now_ns = context_.clock.NowNs();
  const bool repeats = MayRepeat(status);
  std::vector<size_t> repeated;
  for (size_t i = 0; i < members_.size(); ++i) {
    Progress& progress = progress_[i];
    if (progress.final || PutBack(i, status)) continue;
    if (!repeats || progress.responses > 0) {
      Answer(i, {status}, now_ns);
    } else if (GivenUp(i)) {  // useless, but the others' failure is not its own
      Answer(i, {base::Cancelled("the request was cancelled")}, now_ns);
    } else {
      progress.final = progress.retry = true;
      repeated.push_back(i);
    }
  }
  if (context_.sharing == nullptr || repeated.empty() || members_.size() == 1) return;
  const auto batch = context_.sharing->RecordFailedBatch(repeated.size(), status);
  for (const size_t i : repeated) members_[i]->repeated = batch;
}

void BatchExecution::Answer(size_t i, core::EngineResponse response, int64_t now_ns) {
  base::Status& status = response.status;
  const core::InferRequest& request = *members_[i]->queued.request;
  // The engine does not know why it had to stop.
  if (status.code() == base::StatusCode::kCancelled && !CancelledByClient(request) &&
      PastDeadline(request, context_.clock)) {
    status = core::RequestTimeout();
  }
  if (context_.signature.decoupled) {
    recorder_.RecordResponse(members_[i]->queued, response, progress_[i].times, now_ns);
  }
  if (!status.ok()) {
    // With several responses per request, more may follow a failure, as long as a client waits for them.
    response.final = response.final || !context_.signature.decoupled || GivenUp(i);
    response.reschedule = false;
    response.outputs.clear();
    response.parameters.clear();
    if (response.final) RecordFailure(i, status.code(), now_ns);
  } else if (response.final) {
    RecordSuccesses(i, i + 1, now_ns);
  }
  Send(i, std::move(response));
}

void BatchExecution::Send(size_t i, core::EngineResponse response) {
  core::InferResponse answer;
  answer.status = std::move(response.status);
  answer.outputs = std::move(response.outputs);
  answer.parameters = std::move(response.parameters);
  answer.final = response.final;
  answer.reschedule = response.final && response.reschedule;
  progress_[i].final = response.final;
  ++progress_[i].responses;
  members_[i]->queued.Answer(std::move(answer));
}

void BatchExecution::RecordFailure(size_t i, base::StatusCode code, int64_t now_ns) {
  const core::QueuedRequest& queued = members_[i]->queued;
  if (members_.size() == 1 && !queued.warmup) BlameLoneRequest(code);
  recorder_.RecordFailure(queued, code, now_ns);
}

// Counts the failure, if the request caused it.
void BatchExecution::BlameLoneRequest(base::StatusCode code) {
  const bool earned = code != base::StatusCode::kCancelled && code != base::StatusCode::kDeadlineExceeded &&
                      code != base::StatusCode::kUnavailable;
  if (context_.sharing == nullptr || !earned) return;
  const auto& repeated = members_[0]->repeated;
  if (repeated == nullptr || !repeated->RecordFailure()) context_.sharing->RecordAnswers(1, true);
}

void BatchExecution::RecordSuccesses(size_t begin, size_t end, int64_t now_ns) {
  ExecutionRecorder::Successes successes;
  for (size_t i = begin; i < end; ++i) {
    if (!progress_[i].final) recorder_.Add(members_[i]->queued, now_ns, successes);
  }
  if (successes.executed == 0) return;
  if (context_.sharing != nullptr) context_.sharing->RecordAnswers(static_cast<size_t>(successes.executed), false);
  if (members_[begin]->repeated != nullptr) members_[begin]->repeated->RecordSuccess();
  recorder_.Record(successes, now_ns);
}

void BatchExecution::Finish() {
  const auto unanswered = [](const Progress& progress) { return !progress.final && progress.responses == 0; };
  if (std::ranges::all_of(progress_, unanswered)) RespondAll({base::Internal("the engine finished without an answer")});
  for (size_t i = 0; i < members_.size(); ++i) {
    if (!progress_[i].final) Respond(i, {base::Internal("the engine finished without an answer")});
  }
  charges_.ReleaseAllocated();
  if (state_.exchange(State::kFinished, std::memory_order_acq_rel) != State::kLeft) return;
  std::exchange(finished_, nullptr)(std::unique_ptr<BatchExecution>(this));
}

}  // namespace inferd::scheduling
