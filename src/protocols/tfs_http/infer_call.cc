#include "protocols/tfs_http/infer_call.h"

#include <string>
#include <string_view>
#include <utility>

#include "protocols/rest/error_response.h"
#include "protocols/tfs/results.h"
#include "protocols/tfs/signature_method.h"
#include "protocols/tfs_http/codec/example_reader.h"
#include "protocols/tfs_http/codec/result_writer.h"
#include "protocols/v1/parse_fault.h"
#include "protocols/v1/predict_reader.h"
#include "protocols/v1/predict_writer.h"
#include "protocols/v2/bodies/whole_body.h"
#include "serving/core/request/request_timeout.h"

namespace inferd::tfs_http {

namespace {

tfs::Api ApiOf(Endpoint endpoint) {
  if (endpoint == Endpoint::kClassify) return tfs::Api::kClassify;
  return endpoint == Endpoint::kRegress ? tfs::Api::kRegress : tfs::Api::kPredict;
}

v1::BodyRules RulesOf(const Options& options) {
  using tensorjson::ValueRules;
  return {.depth_max = options.json_depth_max,
          .trailing_bytes = options.exact,
          .values = options.exact ? ValueRules::kLenient : ValueRules::kStrict};
}

}  // namespace

InferCall::InferCall(Call call, const Route& route, net::ContentCoding coding, int64_t received_ns)
    : rest::InferCall(rest::SurroundingsOf(call.environment()),
                      static_cast<rest::Call&&>(call)),  // without its environment
      environment_(call.shared_environment()),
      endpoint_(route.endpoint),
      spec_(SpecOf(route)),
      measured_(ApiOf(route.endpoint), received_ns) {
  SetCoding(coding);
}

// TensorFlow Serving parses before it looks up the model: malformed JSON is 400, not 404.
base::Status InferCall::BeginWith(const net::RequestHead&) {
  unknown_ = {};
  if (pinned() == nullptr) {
    auto found = tfs::FindModel(dispatcher(), spec_, environment_->options.unready());
    if (found.has_value()) {
      Pin(*std::move(found));
    } else {
      unknown_ = std::move(found).error();
    }
  }
  call().SetModel(spec_.model, spec_.version);
  return {};
}

bool InferCall::DecodingIsBig(size_t body_bytes) const { return body_bytes >= environment_->options.offload_bytes; }

base::Result<std::unique_ptr<core::InferRequest>> InferCall::Decode(const base::BufferSlice& body) {
  auto request = DecodeBody(body);
  if (request.has_value()) return request;
  return std::unexpected(v1::InServingWords(std::move(request).error(), body.view()));
}

base::Result<std::unique_ptr<core::InferRequest>> InferCall::DecodeBody(const base::BufferSlice& body) {
  if (!unknown_.ok()) {
    INFERD_RETURN_IF_ERROR(v1::CheckBody(body.view(), RulesOf(environment_->options)));
    return std::unexpected(unknown_);
  }
  INFERD_ASSIGN_OR_RETURN(std::unique_ptr<core::InferRequest> request, ReadTensors(body.view()));
  request->model_name = spec_.model;
  request->model_version = spec_.version;
  request->signature = signature_;
  tfs::RequestLog* const log = environment_->request_log;
  if (log != nullptr && !body_tensors_.has_value() && log->Draw(spec_.model)) {
    logged_ = std::make_unique<LoggedRequest>(ApiOf(endpoint_), RulesOf(environment_->options), body, *request);
  }
  return request;
}

base::Result<std::unique_ptr<core::InferRequest>> InferCall::ReadTensors(std::string_view body) {
  const Options& options = environment_->options;
  INFERD_RETURN_IF_ERROR(v1::CheckServed(body, *pinned(), RulesOf(options)));
  signature_ = v1::ChosenSignature(body, *pinned(), RulesOf(options));
  if (endpoint_ == Endpoint::kPredict) {
    auto decoded = v1::ReadPredict(body, signature(), RulesOf(options));
    if (!decoded.has_value()) return BodyInstead(body, std::move(decoded).error());
    INFERD_RETURN_IF_ERROR(CheckMethod());
    row_ = decoded->row;
    return std::move(decoded->request);
  }
  auto request = ReadExampleTensors(body);
  if (request.has_value() || !options.exact) return request;
  return std::unexpected(tfs::RefuseSignature(ApiOf(endpoint_), signature(), std::move(request).error()));
}

base::Result<std::unique_ptr<core::InferRequest>> InferCall::ReadExampleTensors(std::string_view body) {
  const Options& options = environment_->options;
  const ExampleLimits limits{.body = RulesOf(options), .tensor_bytes_max = options.body_bytes_max};
  INFERD_ASSIGN_OR_RETURN(auto request, ReadExamples(body, signature(), limits));
  INFERD_RETURN_IF_ERROR(CheckMethod());
  INFERD_RETURN_IF_ERROR(endpoint_ == Endpoint::kClassify ? tfs::CheckClassifier(signature())
                                                          : tfs::CheckRegressor(signature()));
  examples_ = tfs::CountExamples(*request);
  return request;
}

// If a body does not fit the model's tensors (a table, perhaps), the model may read it itself.
base::Result<std::unique_ptr<core::InferRequest>> InferCall::BodyInstead(std::string_view body, base::Status unread) {
  body_tensors_ = v2::TensorsForUnfitting(pinned()->accepted());
  if (unread.code() != base::StatusCode::kInvalidArgument || !body_tensors_.has_value() ||
      !v1::CheckBody(body, RulesOf(environment_->options)).ok()) {
    body_tensors_.reset();
    return std::unexpected(std::move(unread));
  }
  return v2::WholeBodyRequest(body, {.protocol = "tfs", .verb = "predict"}, *body_tensors_);
}

base::Status InferCall::CheckMethod() const {
  if (!environment_->options.check_methods) return {};
  return tfs::CheckMethod(ApiOf(endpoint_), signature());
}

void InferCall::OnInfer(const core::InferRequest& request) {
  measured_.OnDispatch(request, environment_->clock.NowNs());
}

void InferCall::OnFinal() { measured_.OnFinal(environment_->clock.NowNs()); }

bool InferCall::EncodingIsBig(const core::InferResponse& response) const {
  return v1::EstimateText(response) >= environment_->options.offload_bytes;
}

base::Result<net::HttpResponse> InferCall::Encode(core::InferResponse&& response) {
  auto answer = Write(response);
  if (logged_ != nullptr && answer.has_value()) {
    environment_->request_log->Write(logged_->Answered(std::move(response), shared_pinned()));
  }
  return answer;
}

base::Result<net::HttpResponse> InferCall::Write(const core::InferResponse& response) const {
  if (body_tensors_.has_value()) {
    INFERD_ASSIGN_OR_RETURN(base::BufferSlice body, v2::WholeBodyOf(response, *body_tensors_));
    net::HttpResponse answer;
    answer.content_type = "application/json";
    answer.body.push_back(std::move(body));
    return answer;
  }
  if (endpoint_ == Endpoint::kPredict) return v1::WritePredictions(response, row_);
  const auto write = endpoint_ == Endpoint::kClassify ? WriteClassification : WriteRegression;
  return write(response, signature(), examples_, environment_->options.result_key);
}

// Uses TensorFlow's words if they are expected.
rest::AnswerDeadline::MakeAnswer InferCall::late_answer() const {
  return [](const rest::Options& rest_options) {
    const auto& options = static_cast<const Options&>(rest_options);
    net::HttpResponse answer = rest::ErrorResponse(
        options, options.exact ? base::DeadlineExceeded("Timed out waiting for notification") : core::RequestTimeout());
    AddCorsHeaders(options, answer);
    return answer;
  };
}

void InferCall::OnEnd(base::StatusCode code, net::HttpResponse& answer) {
  const bool late = code == base::StatusCode::kDeadlineExceeded && environment_->options.inference_timeout_ns > 0;
  if (late) answer = late_answer()(environment_->options);
  if (!late) AddCorsHeaders(environment_->options, answer);
  if (pinned() == nullptr) return;
  measured_.Count(*environment_->metrics, spec_.model, code, environment_->clock.NowNs());
}

}  // namespace inferd::tfs_http
