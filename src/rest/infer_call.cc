#include "rest/infer_call.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "core/request/request_timeout.h"
#include "net/compression/compression.h"
#include "net/loop/off_loop.h"
#include "rest/error_response.h"
#include "v2/forwarded_headers.h"
#include "v2/traceparent.h"

namespace inferd::rest {

namespace {

constexpr int kContentTooLarge = 413;
// Shorter pieces are bounded by what a connection may have unread.
constexpr size_t kChargedTextBytesMin = 16 * 1024;

// What Encode has made counts until the peer has read it, as `outputs`, which are tensors' memory, do already. It is
// there, so it may pass the limit.
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
    : surroundings_(surroundings), call_(std::move(call)) {}

void InferCall::SetCoding(net::ContentCoding coding, size_t align_at) {
  coding_ = coding;
  align_at_ = align_at;
}

void InferCall::SetDeadline() {
  const Options& options = surroundings_.options;
  if (options.inference_timeout_ns <= 0) return;
  deadline_ = std::make_shared<AnswerDeadline>(options, call_.clock(), late_answer());
}

AnswerDeadline::MakeAnswer InferCall::late_answer() const {
  return [](const Options& options) { return ErrorResponse(options, core::RequestTimeout()); };
}

void InferCall::Start(Owned self, net::HttpRequest&& request) {
  self->SetDeadline();
  self->Begin(request.head);
  if (self->pinned_ == nullptr) {
    const core::VersionName meant = self->Meant();
    if (self->dispatcher().LoadsOnDemand(meant.model, meant.version)) {
      return AwaitModel(std::move(self), std::move(request));
    }
  }
  GoOn(std::move(self), std::move(request));
}

void InferCall::AwaitModel(Owned self, net::HttpRequest&& request) {
  const auto cancel = std::make_shared<core::CancelFlag>();
  self->call_.reply().OnPeerGone([cancel] { cancel->Cancel(); });
  core::Dispatcher& dispatcher = self->dispatcher();
  const core::VersionName meant = self->Meant();
  core::LoadDemand demand{.model = std::string(meant.model),
                          .version = std::string(meant.version),
                          .deadline_ns = self->deadline_ns(),
                          .cancel = cancel,
                          .done = nullptr};
  demand.done = [self = std::move(self), request = std::move(request)](core::LoadOutcome&& outcome) mutable {
    net::Loop& loop = self->call_.loop();
    loop.Post([self = std::move(self), request = std::move(request), outcome = std::move(outcome)]() mutable {
      Resume(std::move(self), std::move(request), std::move(outcome));
    });
  };
  dispatcher.AwaitLoad(std::move(demand));
}

void InferCall::Resume(Owned self, net::HttpRequest&& request, core::LoadOutcome&& outcome) {
  self->failure_ = base::StatusCode::kOk;
  self->answer_ = {};
  if (outcome.status.ok()) {
    self->Pin(std::move(outcome.model));
    self->Begin(request.head);
  } else {
    self->Fail(outcome.status, 0, outcome.retry_after_ms);
  }
  GoOn(std::move(self), std::move(request));
}

void InferCall::GoOn(Owned self, net::HttpRequest&& request) {
  if (self->failure_ != base::StatusCode::kOk) return self->Send();
  if (self->coding_ == net::ContentCoding::kIdentity && !self->DecodingIsBig(request.body.size())) {
    self->DecodeStep(request);
    return Dispatch(std::move(self));
  }
  base::Executor& pool = self->surroundings_.pool;
  pool.Post([self = std::move(self), request = std::move(request)]() mutable {
    self->DecodeStep(request);
    request = {};
    net::Loop& loop = self->call_.loop();
    loop.Post([self = std::move(self)]() mutable { Dispatch(std::move(self)); });
  });
}

// The request is done with afterwards; tensors hold what they need of its body themselves.
void InferCall::DecodeStep(const net::HttpRequest& http) {
  try {
    if (base::Status status = ReadRequest(http); !status.ok()) Fail(status);
  } catch (const std::bad_alloc&) {
    Fail(base::ResourceExhausted("not enough memory for this request"));
  }
}

base::Status InferCall::ReadRequest(const net::HttpRequest& http) {
  const Options& options = surroundings_.options;
  base::BufferSlice body = http.body;
  if (coding_ != net::ContentCoding::kIdentity) {
    const net::DecompressLimits limits{.bytes_max = options.body_bytes_max, .ratio_max = options.compression_ratio_max};
    auto plain = net::Decompress(coding_, body, limits, align_at_);
    if (!plain.has_value()) {
      const bool too_large = plain.error().code() == base::StatusCode::kResourceExhausted;
      return Fail(plain.error(), too_large ? kContentTooLarge : 0), base::OkStatus();
    }
    body = *std::move(plain);
  }
  INFERD_ASSIGN_OR_RETURN(request_, Decode(body));
  request_->received_ns = http.received_ns;
  request_->traceparent = v2::CheckedTraceparent(http.head.Find("traceparent").value_or(""));
  if (!options.forwarded_headers.has_value()) return {};
  return v2::AddForwardedHeaders(*options.forwarded_headers, http.head.headers, request_->parameters);
}

void InferCall::Dispatch(Owned self) {
  if (self->failure_ != base::StatusCode::kOk) return self->Send();
  std::unique_ptr<core::InferRequest> request = std::move(self->request_);
  self->call_.SetRequestId(request->id);
  self->OnDispatch(*request);
  request->cancel = std::make_shared<core::CancelFlag>();
  self->call_.reply().OnPeerGone([cancel = request->cancel] { cancel->Cancel(); });
  request->deadline_ns = self->deadline_ns();
  core::Dispatcher& dispatcher = self->surroundings_.dispatcher;
  std::shared_ptr<const core::PinnedModel> pinned = self->pinned_;
  std::shared_ptr<AnswerDeadline> deadline = self->deadline_;
  if (deadline != nullptr) deadline->Watch(self->call_.reply());
  core::Completion completion(
      [self = std::move(self)](core::InferResponse&& response) mutable { OnResponse(self, std::move(response)); });
  dispatcher.Infer(std::move(pinned), std::move(request), std::move(completion));
  if (deadline != nullptr) deadline->Arm();  // unless it has been answered by now
}

void InferCall::OnResponse(Owned& self, core::InferResponse&& response) {
  if (!self->response_.Add(std::move(response))) return;
  self->OnFinal();
  const core::InferResponse& single = self->response_.response();
  if (self->response_.many()) {
    self->Fail(base::Unimplemented("the model gave more than one response, which HTTP cannot carry"));
  } else if (!single.status.ok()) {
    self->Fail(core::FailureOf(single, self->surroundings_.options.queue_full), 0, single.retry_after_ms);
  }
  const bool big = self->failure_ == base::StatusCode::kOk && self->EncodingIsBig(single);
  net::Loop& loop = self->call_.loop();
  base::Executor& pool = self->surroundings_.pool;
  net::WorkThenGoOn(
      std::move(self), loop, pool, big, [](InferCall& call) { call.EncodeStep(); },
      [](InferCall& call) { call.Send(); });
}

void InferCall::EncodeStep() {
  if (failure_ != base::StatusCode::kOk) return;
  try {
    Places outputs;
    for (const core::InferTensor& output : response_.response().outputs) outputs.push_back(output.data.data());
    auto answer = Encode(std::move(response_.response()));
    if (!answer.has_value()) return Fail(answer.error());
    answer_ = *std::move(answer);
    if (surroundings_.options.outputs != nullptr) ChargeText(*surroundings_.options.outputs, outputs, answer_.body);
  } catch (const std::bad_alloc&) {
    Fail(base::ResourceExhausted("not enough memory for this response"));
  }
}

void InferCall::Send() {
  if (deadline_ != nullptr) {
    deadline_->Close();
    if (deadline_->expired()) {  // what counts is what the peer was told
      failure_ = base::StatusCode::kDeadlineExceeded;
      answer_ = deadline_->Answer();
    }
  }
  OnEnd(failure_, answer_);
  if (pinned_ != nullptr) call_.SetVersion(pinned_->version());
  call_.Send(std::move(answer_));
}

void InferCall::Fail(const base::Status& status, int http_status, int64_t retry_after_ms) {
  failure_ = status.code();
  answer_ = http_status != 0 ? ErrorResponse(http_status, status.message())
                             : ErrorResponse(surroundings_.options, status, retry_after_ms);
}

}  // namespace inferd::rest
