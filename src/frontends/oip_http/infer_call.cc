#include "frontends/oip_http/infer_call.h"

#include <new>
#include <utility>

#include "frontends/oip_http/raw_request.h"
#include "net/compression/compression.h"
#include "net/off_loop.h"
#include "v2/forwarded_headers.h"
#include "v2/traceparent.h"

namespace inferd::oip_http {

namespace {

constexpr int kContentTooLarge = 413;
constexpr int kUnsupportedMediaType = 415;

}  // namespace

InferCall::InferCall(Call call, const Route& route)
    : call_(std::move(call)), model_(route.model), version_(route.version) {}

void InferCall::Start(Call call, const Route& route, net::HttpRequest&& request) {
  Owned self(new InferCall(std::move(call), route));
  self->call_.SetModel(self->model_, self->version_);
  if (!self->Prepare(request.head)) return self->Send();
  if (!self->DecodeIsBig(request.body.size())) {
    self->Decode(request);
    return Dispatch(std::move(self));
  }
  base::Executor& pool = self->call_.environment().pool;
  pool.Post([self = std::move(self), request = std::move(request)]() mutable {
    self->Decode(request);
    request = {};
    net::Loop& loop = self->call_.loop();
    loop.Post([self = std::move(self)]() mutable { Dispatch(std::move(self)); });
  });
}

// The model first: what is not there needs no decoding.
bool InferCall::Prepare(const net::RequestHead& head) {
  auto pinned = call_.environment().dispatcher.Find(model_, version_);
  if (!pinned.has_value()) return Fail(std::move(pinned).error()), false;
  pinned_ = *std::move(pinned);
  bool unknown_coding = false;
  auto headers = ReadInferHeaders(head, unknown_coding);
  if (!headers.has_value()) return Fail(std::move(headers).error(), unknown_coding ? kUnsupportedMediaType : 0), false;
  headers_ = *headers;
  return true;
}

bool InferCall::DecodeIsBig(size_t body_bytes) const {
  if (headers_.coding != net::ContentCoding::kIdentity) return true;
  // A raw binary request is read whole as well: a BYTES element is copied.
  const uint64_t json_bytes = headers_.json_bytes.value_or(0);
  return (json_bytes == 0 ? body_bytes : json_bytes) >= call_.options().offload_bytes;
}

// The request is done with afterwards; binary tensors hold their body themselves.
void InferCall::Decode(const net::HttpRequest& http) {
  try {
    if (base::Status status = DecodeBody(http); !status.ok()) Fail(std::move(status));
  } catch (const std::bad_alloc&) {
    Fail(base::ResourceExhausted("not enough memory for this request"));
  }
  if (request_ != nullptr) request_->traceparent = v2::CheckedTraceparent(http.head.Find("traceparent").value_or(""));
}

base::Status InferCall::DecodeBody(const net::HttpRequest& http) {
  const Options& options = call_.options();
  base::BufferSlice body = http.body;
  if (headers_.coding != net::ContentCoding::kIdentity) {
    const net::DecompressLimits limits{.bytes_max = options.body_bytes_max, .ratio_max = options.compression_ratio_max};
    auto plain = net::Decompress(headers_.coding, body, limits, headers_.json_bytes.value_or(0));
    if (!plain.has_value()) {
      const bool too_large = plain.error().code() == base::StatusCode::kResourceExhausted;
      Fail(std::move(plain).error(), too_large ? kContentTooLarge : 0);
      return {};
    }
    body = *std::move(plain);
  }
  const uint64_t json_bytes = headers_.json_bytes.value_or(body.size());
  if (json_bytes > body.size()) {
    return base::InvalidArgument("inference header size should be in range (0, " + std::to_string(body.size()) +
                                 "), got: " + std::to_string(json_bytes));
  }
  const bool raw = headers_.json_bytes == 0;
  auto decoded = raw ? ReadRawRequest(body, pinned_->signature(), model_)
                     : ReadInferRequest(body, static_cast<size_t>(json_bytes), headers_.json_bytes.has_value(), model_,
                                        options.json_depth_max);
  if (!decoded.has_value()) return std::move(decoded).error();
  request_ = std::move(decoded->request);
  request_->received_ns = http.received_ns;
  forms_ = std::move(decoded->forms);
  if (!options.forwarded_headers.has_value()) return {};
  return v2::AddForwardedHeaders(*options.forwarded_headers, http.head.headers, request_->parameters);
}

void InferCall::Dispatch(Owned self) {
  if (self->failure_) return self->Send();
  std::unique_ptr<core::InferRequest> request = std::move(self->request_);
  self->call_.SetRequestId(request->id);
  request->model_name = self->model_;
  request->model_version = self->version_;
  request->cancel = std::make_shared<core::CancelFlag>();
  self->call_.reply().OnPeerGone([cancel = request->cancel] { cancel->Cancel(); });
  core::Dispatcher& dispatcher = self->call_.environment().dispatcher;
  std::shared_ptr<const core::PinnedModel> pinned = self->pinned_;
  core::Completion completion(
      [self = std::move(self)](core::InferResponse&& response) mutable { OnResponse(self, std::move(response)); });
  dispatcher.Infer(std::move(pinned), std::move(request), std::move(completion));
}

void InferCall::OnResponse(Owned& self, core::InferResponse&& response) {
  if (!self->response_.Add(std::move(response))) return;
  const core::InferResponse& single = self->response_.response();
  if (self->response_.many()) {
    self->Fail(
        base::Unimplemented("model '" + self->model_ + "' gave more than one response, which HTTP cannot carry"));
  } else if (!single.status.ok()) {
    self->Fail(single.status, 0, single.retry_after_ms);
  }
  const bool big = self->EncodeIsBig();
  net::Loop& loop = self->call_.loop();
  base::Executor& pool = self->call_.environment().pool;
  net::WorkThenGoOn(
      std::move(self), loop, pool, big, [](InferCall& call) { call.Encode(); }, [](InferCall& call) { call.Send(); });
}

bool InferCall::EncodeIsBig() const {
  if (failure_) return false;
  const ResponseSize size = EstimateSize(response_.response(), forms_);
  const bool compressed = headers_.answer != net::ContentCoding::kIdentity;
  return size.json_bytes >= call_.options().offload_bytes ||
         (compressed && size.json_bytes + size.binary_bytes >= call_.options().offload_compressed_bytes);
}

void InferCall::Encode() {
  if (failure_) return;
  try {
    if (base::Status status = EncodeResponse(); !status.ok()) Fail(std::move(status));
  } catch (const std::bad_alloc&) {
    Fail(base::ResourceExhausted("not enough memory for this response"));
  }
}

base::Status InferCall::EncodeResponse() {
  INFERD_ASSIGN_OR_RETURN(
      answer_, WriteInferResponse(std::move(response_.response()), forms_, pinned_->signature(), call_.options()));
  return CompressBody(answer_, headers_.answer, call_.options());
}

void InferCall::Send() {
  if (failure_) {
    call_.Fail(failure_->status, failure_->http_status, failure_->retry_after_ms);
  } else {
    call_.Send(std::move(answer_));
  }
}

void InferCall::Fail(base::Status status, int http_status, int64_t retry_after_ms) {
  failure_ = Failure{std::move(status), http_status, retry_after_ms};
}

}  // namespace inferd::oip_http
