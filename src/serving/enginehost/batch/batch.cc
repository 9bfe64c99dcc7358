#include "serving/enginehost/batch/batch.h"

#include <algorithm>
#include <string>

#include "serving/enginehost/batch/batch_parameters.h"
#include "serving/enginehost/guard/division_guard.h"
#include "serving/enginehost/model/abi_values.h"

namespace inferd::enginehost {

namespace {

const std::vector<int> kNoOutputs;

}  // namespace

base::Status Batch::Begin(core::Execution* execution) {
  execution_ = execution;
  struct_size = sizeof(inferd_batch);
  request_count = execution->request_count();
  rows = execution->rows.data();
  progress_.assign(request_count, Progress::kUnanswered);
  wanted_.assign(execution->outputs.begin(), execution->outputs.end());
  inferd_batch::outputs = wanted_.data();
  output_count = wanted_.size();
  INFERD_RETURN_IF_ERROR(prepared_inputs_.Prepare(*model_, seat_, *execution));
  inferd_batch::inputs = prepared_inputs_.list();
  input_count = prepared_inputs_.count();
  return base::OkStatus();
}

void Batch::Repeat() {
  withheld_.store(false, std::memory_order_relaxed);
  alone_ = true;
}

// Call once per response, as soon as it is computed. A division that another execution makes later, while the response
// is taken, must not count.
Batch::Division Batch::Divided() {
  const DivisionScope* scope = DivisionScope::Current();
  if (scope == nullptr) return Division::kNone;
  if (scope->refused()) return Division::kRefused;
  return scope->suspected() ? Division::kSuspected : Division::kNone;
}

// A result that may come from a refused division must not be sent. If this execution's own thread divided, or no other
// execution can have, Take() turns the response into an error.
bool Batch::Withhold(const inferd_response& response, Division division) {
  if (response.code != INFERD_OK || alone_ || division != Division::kSuspected) return false;
  withheld_.store(true, std::memory_order_relaxed);
  (void)TakeOutputs(model_, kNoOutputs, response, *execution_, &allocations_);  // releases its memory
  return true;
}

base::Result<core::EngineResponse> Batch::Take(const inferd_response& response, bool final, Division division) {
  try {
    return TakeChecked(response, final, division);
  } catch (const std::bad_alloc&) {
    return std::unexpected(base::ResourceExhausted("there is no memory for the outputs"));
  }
}

base::Result<core::EngineResponse> Batch::TakeChecked(const inferd_response& response, bool final, Division division) {
  const bool decoupled = model_->signature().decoupled;
  const bool failed = response.code != INFERD_OK;
  const bool reschedule = INFERD_HAS_FIELD(inferd_response, &response, reschedule) && response.reschedule != 0;
  const bool end_of_stream = (decoupled || reschedule) && final && response.output_count == 0;
  auto tensors = TakeOutputs(model_, failed || end_of_stream ? kNoOutputs : execution_->outputs, response, *execution_,
                             &allocations_);
  if (failed) return std::unexpected(ToStatus(response.code, ToView(response.message)));
  if (division != Division::kNone) return std::unexpected(base::InvalidArgument(std::string(kDivisionRefused)));
  if (!tensors) return std::unexpected(std::move(tensors).error());
  if (!decoupled && !final) {
    return std::unexpected(model_->Fault("answered with more than one response, though the model is not decoupled"));
  }
  INFERD_ASSIGN_OR_RETURN(core::Parameters parameters, TakeParameters(*model_, response));
  return core::EngineResponse{
      .outputs = *std::move(tensors), .parameters = std::move(parameters), .reschedule = reschedule};
}

void Batch::Respond(size_t request, const inferd_response& response) {
  if (request >= request_count || progress_[request] == Progress::kFinal) {
    (void)TakeOutputs(model_, kNoOutputs, response, *execution_, &allocations_);  // releases its memory
    Warn(request >= request_count ? "answered a request that its batch does not have" : "answered a request again");
    return;
  }
  const Division division = Divided();
  if (Withhold(response, division)) return;
  auto taken = Take(response, response.final != 0, division);
  // A failure from the engine may be one response of a stream. A response that cannot be sent ends the stream.
  const bool unusable = !taken.has_value() && response.code == INFERD_OK;
  const bool final = response.final != 0 || unusable || !model_->signature().decoupled;
  progress_[request] = final ? Progress::kFinal : Progress::kAnswered;
  if (taken) {
    taken->final = final;
    execution_->Respond(request, *std::move(taken));
  } else {
    execution_->Respond(request, {.status = std::move(taken).error(), .final = final});
  }
}

void Batch::RespondAll(const inferd_response& response) {
  if (request_count == 1) return Respond(0, response);
  const Division division = Divided();
  if (Withhold(response, division)) return;
  auto taken = Take(response, true, division);
  base::Status status = taken ? base::OkStatus() : std::move(taken).error();
  const bool fresh =
      std::all_of(progress_.begin(), progress_.end(), [](Progress p) { return p == Progress::kUnanswered; });
  if (status.ok() && !fresh) status = model_->Fault("answered a whole batch after it answered a part of it");
  if (!status.ok()) return Fail(status);
  progress_.assign(request_count, Progress::kFinal);
  execution_->RespondAll(*std::move(taken));
}

base::BufferSlice Batch::AllocateOutput(uint32_t output, size_t bytes, base::MemoryPlace wish) {
  if (output >= model_->signature().outputs.size()) return {};
  // True if the response cannot use the memory on the device: the engine then copies it to the CPU.
  const bool copied = !wish.readable() && !execution_->TakesOnDevice(static_cast<int>(output));
  try {
    base::Buffer memory;
    if (copied && model_->pins_outputs()) memory = model_->engine().pinned->Take(bytes);
    if (!memory) memory = execution_->AllocateOutput(static_cast<int>(output), bytes, wish);
    allocations_.Add(memory);
    return base::BufferSlice(std::move(memory));
  } catch (const std::bad_alloc&) {
    return {};
  }
}

void Batch::Fail(const base::Status& status) {
  progress_.assign(request_count, Progress::kFinal);
  execution_->RespondAll({status});
}

void Batch::End() {
  const bool silent = std::ranges::all_of(progress_, [](Progress p) { return p == Progress::kUnanswered; });
  // Fail the batch as a whole if it has several requests: one of them may be the cause.
  if (silent && request_count > 1) Fail(model_->Fault("finished without answering"));
  for (size_t i = 0; i < request_count; ++i) {
    if (progress_[i] == Progress::kFinal) continue;
    const base::Status status =
        withheld() ? base::Unavailable(std::string(kPerhapsRefused)) : model_->Fault("finished without answering");
    execution_->Respond(i, {status});
  }
  prepared_inputs_.Clear();
  allocations_.Clear();
  progress_.clear();
  request_count = 0;
  withheld_.store(false, std::memory_order_relaxed);
  alone_ = false;
  core::Execution* execution = std::exchange(execution_, nullptr);
  if (const auto ended = std::exchange(told_, nullptr); ended != nullptr) {
    ended->store(true, std::memory_order_release);
    ended->notify_all();
  }
  // From here on, the next execution may use this batch, and Finish() may destroy the instance.
  Batch* none = nullptr;
  if (!home_->compare_exchange_strong(none, this, std::memory_order_release, std::memory_order_relaxed)) delete this;
  execution->Finish();
}

void Batch::Warn(std::string_view what) const {
  base::Logger* logger = model_->engine().logger;
  if (logger != nullptr) logger->Warning(model_->Fault(what).message());
}

}  // namespace inferd::enginehost
