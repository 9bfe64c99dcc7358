#include "serving/scheduling/requests/answer_joiner.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

#include "serving/core/model_version.h"
#include "serving/core/request/request_trace.h"
#include "serving/core/request/response_parameters.h"

namespace inferd::scheduling {

namespace {

const std::string kRefused = "the outputs for parts of the request cannot be joined: ";

size_t PartCount(int64_t rows, int64_t rows_max) { return static_cast<size_t>((rows - 1) / rows_max + 1); }

}  // namespace

AnswerJoiner::AnswerJoiner(core::QueuedRequest whole, int64_t rows_max)
    : whole_(std::move(whole)),
      rows_max_(rows_max),
      cancel_(std::make_shared<core::CancelFlag>(whole_.request->cancel)),
      tally_(static_cast<int64_t>(PartCount(whole_.layout.rows, rows_max))),
      responses_(PartCount(whole_.layout.rows, rows_max)),
      left_(responses_.size()) {}

int64_t AnswerJoiner::RowsOf(size_t part) const {
  return std::min(rows_max_, whole_.layout.rows - static_cast<int64_t>(part) * rows_max_);
}

// Gives the part a trace of its own, as it has an execution of its own.
void AnswerJoiner::TracePart(core::RequestTrace& whole, core::QueuedRequest& part) const {
  const std::string_view version =
      whole_.version == nullptr ? std::string_view(whole_.request->model_version) : whole_.version->version();
  part.request->trace = whole.Child(whole_.request->model_name, version);
  part.request->trace->Add(core::TraceActivity::kRequestStart, part.queued_ns);
  part.request->trace->Add(core::TraceActivity::kQueueStart, part.queued_ns);
}

core::QueuedRequest AnswerJoiner::MakePart(size_t part) {
  core::QueuedRequest queued;
  queued.request = std::make_unique<core::InferRequest>(*whole_.request);
  queued.request->cancel = cancel_;
  // Memory and place are for the joined output, not for the parts.
  for (core::RequestedOutput& output : queued.request->outputs) {
    output.memory = {};
    output.on_device = false;
  }
  queued.completion = core::Completion(
      [joiner = shared_from_this(), part](core::InferResponse response) { joiner->Arrive(part, std::move(response)); });
  queued.version = whole_.version;
  queued.layout = whole_.layout;
  queued.layout.rows = RowsOf(part);
  queued.queued_ns = whole_.queued_ns;
  queued.warmup = whole_.warmup;
  queued.parts = {shared_from_this(), &tally_};
  if (core::RequestTrace* const trace = whole_.request->trace.get(); trace != nullptr) TracePart(*trace, queued);
  return queued;
}

void AnswerJoiner::Arrive(size_t part, core::InferResponse response) {
  const bool final = response.final;
  if (response.status.ok() && !final) {
    response.status = base::Internal("the model gave more than one response to a part of the request");
  }
  if (response.status.ok()) {
    responses_[part] = std::move(response);
  } else {
    Fail(std::move(response));
  }
  // The last part sees everything that the others have written, including a failure.
  if (!final || left_.fetch_sub(1, std::memory_order_acq_rel) != 1 || failed()) return;
  base::Result<core::InferResponse> joined = Join();
  if (joined.has_value()) {
    whole_.Answer(*std::move(joined));
  } else {
    whole_.Fail(std::move(joined).error());
  }
}

void AnswerJoiner::Fail(core::InferResponse response) {
  if (failed_.exchange(true, std::memory_order_relaxed)) return;
  cancel_->Cancel();
  whole_.Fail(std::move(response.status), response.retry_after_ms);
}

base::Result<core::InferResponse> AnswerJoiner::Join() {
  core::InferResponse joined;
  for (core::InferResponse& response : responses_) {
    core::AddResponseParameters(joined.parameters, std::move(response.parameters));
  }
  const size_t outputs = responses_[0].outputs.size();
  for (const core::InferResponse& response : responses_) INFERD_RETURN_IF_ERROR(CheckCount(response));
  for (size_t output = 0; output < outputs; ++output) {
    for (size_t part = 0; part < part_count(); ++part) INFERD_RETURN_IF_ERROR(CheckPiece(part, output));
    INFERD_ASSIGN_OR_RETURN(core::InferTensor tensor, JoinOutput(output));
    joined.outputs.push_back(std::move(tensor));
  }
  return joined;
}

base::Status AnswerJoiner::CheckCount(const core::InferResponse& response) const {
  if (response.outputs.size() == responses_[0].outputs.size()) return base::OkStatus();
  return base::Internal(kRefused + "expected " + std::to_string(responses_[0].outputs.size()) + " of them, got " +
                        std::to_string(response.outputs.size()));
}

base::Status AnswerJoiner::CheckPiece(size_t part, size_t output) const {
  const core::InferResponse& response = responses_[part];
  const core::InferTensor& first = responses_[0].outputs[output];
  const core::InferTensor& piece = response.outputs[output];
  if (piece.name != first.name || piece.datatype != first.datatype) {
    return base::Internal(kRefused + "expected '" + first.name + "' as " +
                          std::string(tensor::DataTypeName(first.datatype)) + ", got '" + piece.name + "' as " +
                          std::string(tensor::DataTypeName(piece.datatype)));
  }
  tensor::Shape expected = first.shape;
  if (expected.rank() > 0) expected[0] = RowsOf(part);
  if (expected.rank() > 0 && piece.shape == expected) return base::OkStatus();
  return base::Internal(kRefused + "expected " + std::to_string(RowsOf(part)) + " rows of '" + first.name +
                        "' in shape " + expected.ToString() + ", got " + piece.shape.ToString());
}

base::Result<core::InferTensor> AnswerJoiner::JoinOutput(size_t output) {
  size_t bytes = 0;
  for (const core::InferResponse& response : responses_) bytes += response.outputs[output].data.size();
  core::InferTensor& first = responses_[0].outputs[output];
  core::InferTensor joined{.name = std::move(first.name),
                           .datatype = first.datatype,
                           .shape = std::move(first.shape),
                           .data = {},
                           .parameters = std::move(first.parameters)};
  base::Buffer buffer;
  try {
    buffer = base::Buffer::Allocate(bytes);
  } catch (const std::bad_alloc&) {
    return std::unexpected(base::ResourceExhausted("no memory for the " + std::to_string(bytes) + " bytes of output '" +
                                                   joined.name + "'"));
  }
  std::byte* at = buffer.data();
  for (core::InferResponse& response : responses_) {
    // Moved out, so that the memory of at most one output exists twice.
    const base::BufferSlice piece = std::exchange(response.outputs[output].data, {});
    if (!piece.empty()) std::memcpy(at, piece.data(), piece.size());
    at += piece.size();
  }
  joined.shape[0] = whole_.layout.rows;
  joined.data = base::BufferSlice(std::move(buffer));
  return joined;
}

}  // namespace inferd::scheduling
