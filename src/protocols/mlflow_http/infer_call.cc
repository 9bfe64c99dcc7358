#include "protocols/mlflow_http/infer_call.h"

#include <algorithm>
#include <utility>

#include "protocols/mlflow_http/codec/answer.h"
#include "protocols/mlflow_http/codec/csv_body.h"
#include "protocols/mlflow_http/codec/json_body.h"

namespace inferd::mlflow_http {

namespace {

// For a body that is too large after decompression.
constexpr int kContentTooLarge = 413;

}  // namespace

InferCall::InferCall(Call call, std::string model, BodyForm form, net::ContentCoding coding)
    : rest::InferCall(rest::SurroundingsOf(call.environment()),
                      static_cast<rest::Call&&>(call)),  // without its environment
      environment_(call.shared_environment()),
      model_(std::move(model)),
      form_(form) {
  SetCoding(coding);
}

base::Status InferCall::BeginWith(const net::RequestHead& /*head*/) {
  if (pinned() != nullptr) return {};
  INFERD_ASSIGN_OR_RETURN(auto found, dispatcher().Find(model_, ""));
  Pin(std::move(found));
  return {};
}

bool InferCall::DecodingIsBig(size_t body_bytes) const { return body_bytes >= environment_->options.offload_bytes; }

base::Result<std::unique_ptr<core::InferRequest>> InferCall::Decode(const base::BufferSlice& body) {
  if (v2::TakesBodyInstead(pinned()->accepted(), v2::kInvocationTensors)) {
    return WholeBody(body.view(), v2::kInvocationTensors);
  }
  // A table's columns may have the names of features, in another order than the model's.
  const bool is_table = form_ == BodyForm::kCsv || body.view().contains("\"dataframe_");
  if (is_table && v2::TakesBodyInstead(pinned()->accepted())) return WholeBody(body.view(), {});
  const core::ModelSignature& signature = pinned()->signature();
  auto read = form_ == BodyForm::kCsv ? ReadCsvBody(body.view(), signature)
                                      : ReadJsonBody(body.view(), signature, environment_->options.json_depth_max);
  if (!read.has_value()) {
    // A table that does not fit the model's inputs.
    const bool unfitting = read.error().code() == base::StatusCode::kOutOfRange;
    if (unfitting && v2::TakesBodyInstead(pinned()->accepted())) return WholeBody(body.view(), {});
    return read;
  }
  std::unique_ptr<core::InferRequest> request = *std::move(read);
  request->model_name = model_;
  const auto is_bytes = [](const core::InferTensor& input) { return input.datatype == tensor::DataType::kBytes; };
  // Bytes that are not text are base64 in this protocol; models with such columns must know.
  if (std::ranges::any_of(request->inputs, is_bytes)) request->parameters.emplace_back("mlflow_invocation", true);
  return request;
}

base::Result<std::unique_ptr<core::InferRequest>> InferCall::WholeBody(std::string_view body, v2::BodyTensors tensors) {
  INFERD_ASSIGN_OR_RETURN(
      auto request,
      v2::WholeBodyRequest(
          body, {.protocol = "mlflow", .verb = form_ == BodyForm::kCsv ? "text/csv" : "application/json"}, tensors));
  request->model_name = model_;
  body_tensors_ = tensors;
  return request;
}

bool InferCall::EncodingIsBig(const core::InferResponse& response) const {
  return EstimateText(response) >= environment_->options.offload_bytes;
}

base::Result<net::HttpResponse> InferCall::Encode(core::InferResponse&& response) {
  if (!body_tensors_.has_value()) return WriteAnswer(response);
  INFERD_ASSIGN_OR_RETURN(base::BufferSlice body, v2::WholeBodyOf(response, *body_tensors_));
  net::HttpResponse answer;
  answer.content_type = "application/json";
  answer.body.push_back(std::move(body));
  return answer;
}

rest::AnswerDeadline::MakeAnswer InferCall::late_answer() const {
  return [](const rest::Options&) {
    return net::HttpResponse::Text(504, "application/json", "Request processing time exceeded limit");
  };
}

void InferCall::OnEnd(base::StatusCode code, net::HttpResponse& answer) {
  if (code == base::StatusCode::kOk || failure().ok()) return;  // if the time was up, the answer states it
  call().SetError(failure().message());
  if (answer.status == kContentTooLarge) {
    answer = ErrorAnswer(kContentTooLarge, "BAD_REQUEST", failure().message());
  } else {
    answer = ErrorAnswer(environment_->options, failure(), retry_after_ms());
  }
}

}  // namespace inferd::mlflow_http
