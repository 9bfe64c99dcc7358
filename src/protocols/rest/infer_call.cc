#include "protocols/rest/infer_call.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <span>
#include <string>
#include <utility>

#include "net/compression/compression.h"
#include "protocols/rest/error_response.h"
#include "protocols/rest/response_stream.h"
#include "protocols/v2/forwarded_headers.h"
#include "protocols/v2/traceparent.h"
#include "serving/core/request/request_timeout.h"

namespace inferd::rest {

namespace {

constexpr int kContentTooLarge = 413;
// Shorter pieces are bounded by a connection's limit of unread bytes.
constexpr size_t kChargedTextBytesMin = 16 * 1024;

// Charges the text from Encode() until the peer has read it; `outputs`, which are tensors' memory, are charged already.
// The text exists already, so it may exceed the limit.
using Places = boost::container::small_vector<const std::byte*, 8>;
void ChargeText(base::ByteBudget& budget, const Places& outputs, std::span<const base::BufferSlice> body) {
  for (const base::BufferSlice& piece : body) {
    if (piece.size() < kChargedTextBytesMin || !piece.owner()) continue;
    if (std::ranges::find(outputs, piece.data()) != outputs.end()) continue;
    const size_t bytes = piece.size();
    budget.Charge(bytes);
    base::Buffer(piece.owner()).OnFree([&budget, bytes] { budget.Release(bytes); });
  }
}

}  // namespace

InferCall::InferCall(const Surroundings& surroundings, Call&& call)
    : call::InferCall<net::HttpRequest>({.dispatcher = surroundings.dispatcher,
                                         .pool = surroundings.pool,
                                         .queue_full = surroundings.options.queue_full}),
      surroundings_(surroundings),
      call_(std::move(call)) {}

void InferCall::SetCoding(net::ContentCoding coding, size_t align_at) {
  coding_ = coding;
  align_at_ = align_at;
}

base::Status InferCall::WithHttpStatus(int http_status, base::Status status) {
  http_status_ = http_status;
  return status;
}

AnswerDeadline::MakeAnswer InferCall::late_answer() const {
  return [](const Options& options) { return ErrorResponse(options, core::RequestTimeout()); };
}

base::Status InferCall::Begin(const net::HttpRequest& http) {
  const Options& options = surroundings_.options;
  if (options.inference_timeout_ns > 0 && deadline_ == nullptr) {
    deadline_ = std::make_shared<AnswerDeadline>(options, call_.clock(), late_answer());
  }
  http_status_ = 0;
  return BeginWith(http.head);
}

bool InferCall::ReadingIsBig(const net::HttpRequest& http) const {
  return coding_ != net::ContentCoding::kIdentity || DecodingIsBig(http.body.size());
}

base::Result<std::unique_ptr<core::InferRequest>> InferCall::Read(const net::HttpRequest& http) {
  const Options& options = surroundings_.options;
  base::BufferSlice body = http.body;
  if (coding_ != net::ContentCoding::kIdentity) {
    const net::DecompressLimits limits{.bytes_max = options.body_bytes_max, .ratio_max = options.compression_ratio_max};
    auto plain = net::Decompress(coding_, body, limits, align_at_);
    if (!plain.has_value()) {
      const bool too_large = plain.error().code() == base::StatusCode::kResourceExhausted;
      return std::unexpected(WithHttpStatus(too_large ? kContentTooLarge : 0, plain.error()));
    }
    body = *std::move(plain);
  }
  auto decoded = Decode(body);
  if (!decoded.has_value()) return std::unexpected(Advised(std::move(decoded).error()));
  std::unique_ptr<core::InferRequest>& request = *decoded;
  request->received_ns = http.received_ns;
  request->traceparent = v2::CheckedTraceparent(http.head.Find("traceparent").value_or(""));
  if (!options.forwarded_headers.has_value()) return decoded;
  INFERD_RETURN_IF_ERROR(v2::AddForwardedHeaders(*options.forwarded_headers, http.head.headers, request->parameters));
  return decoded;
}

void InferCall::OnDispatch(core::InferRequest& request) {
  OnInfer(request);
  if (event_form_ != EventForm::kNone) {
    request.flow = flow_ = std::make_shared<core::ResponseFlow>(surroundings_.options.stream_flow, call_.loop());
  }
  if (deadline_ == nullptr) return;
  deadline_->Watch(call_.reply());
  deadline_->Arm();
}

base::Status InferCall::NotOneResponse() const {
  return base::Unimplemented("the model gave more than one response, which HTTP cannot carry");
}

core::Completion InferCall::TakeResponses(Owned self) {
  if (event_form_ == EventForm::kNone) return call::InferCall<net::HttpRequest>::TakeResponses(std::move(self));
  std::unique_ptr<InferCall> call(static_cast<InferCall*>(self.release()));
  const auto stream = std::make_shared<ResponseStream>(std::move(call), event_form_, flow_);
  stream->Open();
  return core::Completion([stream](core::InferResponse&& response) { stream->Receive(std::move(response)); });
}

base::Status InferCall::MakeAnswer(core::InferResponse&& response) {
  Places outputs;
  for (const core::InferTensor& output : response.outputs) outputs.push_back(output.data.data());
  INFERD_ASSIGN_OR_RETURN(answer_, Encode(std::move(response)));
  if (surroundings_.options.outputs != nullptr) ChargeText(*surroundings_.options.outputs, outputs, answer_.body);
  return {};
}

bool InferCall::BeginStream() {
  if (trace() != nullptr) trace()->AddNow(core::TraceActivity::kHttpSendStart);
  if (deadline_ == nullptr) return true;
  deadline_->Close();
  return !deadline_->expired();
}

base::Result<net::HttpResponse> InferCall::EncodeEvent(core::InferResponse&& response) {
  try {
    return Encode(std::move(response));
  } catch (const std::bad_alloc&) {
    return std::unexpected(base::ResourceExhausted("not enough memory for this response"));
  }
}

void InferCall::EndStream(const base::Status& status, int http_status) {
  if (trace() != nullptr) trace()->AddNow(core::TraceActivity::kHttpSendEnd);
  OnEnd(status.code(), answer_);
  call_.SetVersion(pinned()->version());
  call_.SetError(status.message());
  call_.EndStream(http_status);
}

void InferCall::Send() {
  base::StatusCode code = failure().code();
  if (http_status_ != 0 && !failure().ok()) {
    answer_ = ErrorResponse(http_status_, failure().message());
  } else if (!failure().ok()) {
    answer_ = ErrorResponse(surroundings_.options, failure(), retry_after_ms());
  }
  if (deadline_ != nullptr) {
    deadline_->Close();
    if (deadline_->expired()) {  // the answer to the peer counts
      code = base::StatusCode::kDeadlineExceeded;
      answer_ = deadline_->Answer();
    }
  }
  OnEnd(code, answer_);
  if (pinned() != nullptr) call_.SetVersion(pinned()->version());
  call_.Send(std::move(answer_));
}

}  // namespace inferd::rest
