#include "frontends/tfs_http/infer_call.h"

#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "frontends/tfs_http/example_reader.h"
#include "frontends/tfs_http/predict_reader.h"
#include "frontends/tfs_http/predict_writer.h"
#include "frontends/tfs_http/result_writer.h"
#include "net/compression/compression.h"
#include "net/off_loop.h"
#include "rest/error_response.h"
#include "tfs/results.h"
#include "v2/forwarded_headers.h"
#include "v2/traceparent.h"

namespace inferd::tfs_http {

namespace {

constexpr int kContentTooLarge = 413;

tfs::Api ApiOf(Endpoint endpoint) {
  if (endpoint == Endpoint::kClassify) return tfs::Api::kClassify;
  return endpoint == Endpoint::kRegress ? tfs::Api::kRegress : tfs::Api::kPredict;
}

BodyRules RulesOf(const Options& options) {
  using tensorjson::NarrowIntegers;
  return {.depth_max = options.json_depth_max,
          .trailing_bytes = options.exact,
          .narrow_integers = options.exact ? NarrowIntegers::kCut : NarrowIntegers::kChecked};
}

}  // namespace

InferCall::InferCall(Call call, const Route& route, net::ContentCoding coding, int64_t received_ns)
    : call_(std::move(call)),
      endpoint_(route.endpoint),
      spec_(SpecOf(route)),
      coding_(coding),
      pinned_(tfs::FindModel(call_.environment().dispatcher, spec_, call_.options().unready())),
      received_ns_(received_ns) {}

void InferCall::Start(Call call, const Route& route, net::ContentCoding coding, net::HttpRequest&& request) {
  Owned self(new InferCall(std::move(call), route, coding, request.received_ns));
  self->call_.SetModel(self->spec_.model, self->spec_.version);
  const bool big =
      coding != net::ContentCoding::kIdentity || request.body.size() >= self->call_.options().offload_bytes;
  if (!big) {
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

// The text is done with afterwards.
void InferCall::Decode(const net::HttpRequest& http) {
  try {
    if (base::Status status = DecodeBody(http); !status.ok()) return Fail(status);
  } catch (const std::bad_alloc&) {
    return Fail(base::ResourceExhausted("not enough memory for this request"));
  }
  if (request_ != nullptr) request_->traceparent = v2::CheckedTraceparent(http.head.Find("traceparent").value_or(""));
}

base::Status InferCall::DecodeBody(const net::HttpRequest& http) {
  const Options& options = call_.options();
  base::BufferSlice body = http.body;
  if (coding_ != net::ContentCoding::kIdentity) {
    const net::DecompressLimits limits{.bytes_max = options.body_bytes_max, .ratio_max = options.compression_ratio_max};
    auto plain = net::Decompress(coding_, body, limits);
    if (!plain.has_value()) {
      const bool too_large = plain.error().code() == base::StatusCode::kResourceExhausted;
      Fail(plain.error(), too_large ? kContentTooLarge : 0);
      return {};
    }
    body = *std::move(plain);
  }
  // TensorFlow Serving parses before it looks for the model: what is no JSON is 400, not 404.
  if (!pinned_.has_value()) {
    INFERD_RETURN_IF_ERROR(CheckBody(body.view(), RulesOf(options)));
    return pinned_.error();
  }
  INFERD_RETURN_IF_ERROR(ReadTensors(body.view()));
  request_->received_ns = http.received_ns;
  if (!options.forwarded_headers.has_value()) return {};
  return v2::AddForwardedHeaders(*options.forwarded_headers, http.head.headers, request_->parameters);
}

base::Status InferCall::ReadTensors(std::string_view body) {
  const Options& options = call_.options();
  const core::ModelSignature& signature = (*pinned_)->signature();
  if (endpoint_ == Endpoint::kPredict) {
    INFERD_ASSIGN_OR_RETURN(DecodedPredict decoded, ReadPredict(body, signature, RulesOf(options)));
    request_ = std::move(decoded.request);
    row_ = decoded.row;
    return {};
  }
  const ExampleLimits limits{.body = RulesOf(options), .tensor_bytes_max = options.body_bytes_max};
  INFERD_ASSIGN_OR_RETURN(request_, ReadExamples(body, signature, limits));
  return endpoint_ == Endpoint::kClassify ? tfs::CheckClassifier(signature) : tfs::CheckRegressor(signature);
}

void InferCall::Dispatch(Owned self) {
  if (self->answer_) return self->Send();
  std::unique_ptr<core::InferRequest> request = std::move(self->request_);
  if (!request->inputs.empty() && request->inputs[0].shape.rank() > 0) self->rows_ = request->inputs[0].shape[0];
  self->dispatched_ns_ = self->call_.environment().clock.NowNs();
  request->model_name = self->spec_.model;
  request->model_version = self->spec_.version;
  request->cancel = std::make_shared<core::CancelFlag>();
  self->call_.reply().OnPeerGone([cancel = request->cancel] { cancel->Cancel(); });
  core::Dispatcher& dispatcher = self->call_.environment().dispatcher;
  std::shared_ptr<const core::PinnedModel> pinned = *self->pinned_;
  core::Completion completion(
      [self = std::move(self)](core::InferResponse&& response) mutable { OnResponse(self, std::move(response)); });
  dispatcher.Infer(std::move(pinned), std::move(request), std::move(completion));
}

void InferCall::OnResponse(Owned& self, core::InferResponse&& response) {
  if (!self->response_.Add(std::move(response))) return;
  self->runtime_ns_ = self->call_.environment().clock.NowNs() - self->dispatched_ns_;
  const core::InferResponse& single = self->response_.response();
  if (self->response_.many()) {
    self->Fail(
        base::Unimplemented("model '" + self->spec_.model + "' gave more than one response, which REST cannot carry"));
  } else if (!single.status.ok()) {
    self->Fail(single.status, 0, single.retry_after_ms);
  }
  const bool big = !self->answer_ && EstimateText(single) >= self->call_.options().offload_bytes;
  net::Loop& loop = self->call_.loop();
  base::Executor& pool = self->call_.environment().pool;
  net::WorkThenGoOn(
      std::move(self), loop, pool, big, [](InferCall& call) { call.Encode(); }, [](InferCall& call) { call.Send(); });
}

void InferCall::Encode() {
  if (answer_) return;
  try {
    auto written = WriteAnswer();
    if (!written.has_value()) return Fail(written.error());
    answer_ = *std::move(written);
  } catch (const std::bad_alloc&) {
    Fail(base::ResourceExhausted("not enough memory for this response"));
  }
}

base::Result<net::HttpResponse> InferCall::WriteAnswer() const {
  const core::InferResponse& response = response_.response();
  if (endpoint_ == Endpoint::kPredict) return WritePredictions(response, row_);
  const auto write = endpoint_ == Endpoint::kClassify ? WriteClassification : WriteRegression;
  return write(response, (*pinned_)->signature(), call_.options().result_key);
}

void InferCall::Send() {
  const Environment& environment = call_.environment();
  if (pinned_.has_value()) {
    const tfs::Api api = ApiOf(endpoint_);
    environment.metrics->Count(spec_.model, api, code_, environment.clock.NowNs() - received_ns_);
    if (code_ == base::StatusCode::kOk) environment.metrics->CountRuntime(spec_.model, api, runtime_ns_);
    if (dispatched_ns_ != 0 && endpoint_ != Endpoint::kPredict) environment.metrics->CountExamples(spec_.model, rows_);
  }
  call_.Send(*std::move(answer_));
}

void InferCall::Fail(const base::Status& status, int http_status, int64_t retry_after_ms) {
  code_ = status.code();
  answer_ = http_status != 0 ? rest::ErrorResponse(http_status, status.message())
                             : rest::ErrorResponse(call_.options(), status, retry_after_ms);
}

}  // namespace inferd::tfs_http
