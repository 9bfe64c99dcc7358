#include "protocols/kserve_v1/infer_call.h"

#include <string_view>
#include <utility>

#include "config/model/model_config.h"
#include "data/json/reader.h"
#include "data/json/writer.h"
#include "protocols/v1/predict_writer.h"
#include "protocols/v2/bodies/whole_body.h"

namespace inferd::kserve_v1 {

namespace {

v1::BodyRules RulesOf(const Options& options) {
  return {.dialect = v1::Dialect::kKserve, .depth_max = options.json_depth_max};
}

}  // namespace

InferCall::InferCall(Call call, const Route& route, net::ContentCoding coding)
    : rest::InferCall(rest::SurroundingsOf(call.environment()),
                      static_cast<rest::Call&&>(call)),  // without its environment
      environment_(call.shared_environment()),
      model_(route.model),
      explains_(route.endpoint == Endpoint::kExplain) {
  SetCoding(coding);
}

// Like KServe's servers, it looks up the model before it reads the body.
base::Status InferCall::BeginWith(const net::RequestHead& head) {
  if (pinned() == nullptr) {
    auto found = dispatcher().Find(model_, "");
    if (!found.has_value()) return NotServed(model_, std::move(found).error());
    Pin(*std::move(found));
  }
  INFERD_ASSIGN_OR_RETURN(event_, CloudEvent::Of(head));
  INFERD_RETURN_IF_ERROR(FindBodyTaker(head));
  if (!explains_ || takes_body_) return {};
  INFERD_ASSIGN_OR_RETURN(explanation_, Explanation::Begin(*pinned(), model_, dispatcher()));
  return {};
}

base::Status InferCall::FindBodyTaker(const net::RequestHead& head) {
  const config::ModelConfig* const configuration = pinned()->configuration();
  if (explains_ && configuration != nullptr && configuration->explainer.has_value()) {
    const config::Dependency& explainer = *configuration->explainer;
    const std::string version = explainer.version.has_value() ? std::to_string(*explainer.version) : std::string();
    auto found = dispatcher().Find(explainer.model, version);
    // Explanation reports its errors.
    if (!found.has_value() || !v2::TakesWholeBody((*found)->signature())) return {};
    model_ = explainer.model;
    version_ = version;
    Pin(*std::move(found));
  }
  takes_body_ = v2::TakesWholeBody(pinned()->signature());
  const bool is_predict = !explains_ && environment_->options.share.predictions;
  if (!takes_body_ && is_predict && v2::TakesBodyInstead(pinned()->accepted(), v2::kPredictTensors)) {
    takes_body_ = true;
    tensors_ = v2::kPredictTensors;
  }
  if (takes_body_) headers_ = v2::HeadersJson({head.headers.data(), head.headers.size()});
  return {};
}

bool InferCall::DecodingIsBig(size_t body_bytes) const { return body_bytes >= environment_->options.offload_bytes; }

base::Result<std::string_view> InferCall::PlainBody(std::string_view body) {
  if (event_ == nullptr) return body;
  return event_->ReadData(body, environment_->options.json_depth_max);
}

base::Result<v1::DecodedPredict> InferCall::ReadTensors(std::string_view body) {
  const v1::BodyRules rules = RulesOf(environment_->options);
  INFERD_RETURN_IF_ERROR(v1::CheckServed(body, *pinned(), rules));
  signature_ = v1::ChosenSignature(body, *pinned(), rules);
  return v1::ReadPredict(body, *pinned()->signatures()[signature_], rules);
}

base::Result<std::unique_ptr<core::InferRequest>> InferCall::Decode(const base::BufferSlice& body) {
  INFERD_ASSIGN_OR_RETURN(const std::string_view plain, PlainBody(body.view()));
  if (takes_body_) {
    const v2::BodyOrigin origin{.protocol = "v1", .verb = explains_ ? "explain" : "predict", .headers = headers_};
    INFERD_ASSIGN_OR_RETURN(auto whole, v2::WholeBodyRequest(plain, origin, tensors_));
    whole->model_name = model_;
    whole->model_version = version_;
    return whole;
  }
  auto decoded = ReadTensors(plain);
  if (!decoded.has_value() && event_ == nullptr) {
    // An event in structured mode whose Content-Type does not say so is answered like its data alone.
    const std::string_view data = FindEventData(plain, environment_->options.json_depth_max);
    if (!data.empty()) decoded = ReadTensors(data);
  }
  if (!decoded.has_value()) return DecodeBodyInstead(plain, std::move(decoded).error());
  row_ = decoded->row;
  std::unique_ptr<core::InferRequest> request = std::move(decoded->request);
  request->model_name = model_;
  request->signature = signature_;
  return request;
}

// If a body does not fit the model's tensors (a table, perhaps), the model may read it itself.
base::Result<std::unique_ptr<core::InferRequest>> InferCall::DecodeBodyInstead(std::string_view body,
                                                                               base::Status unread) {
  const std::optional<v2::BodyTensors> tensors = v2::TensorsForUnfitting(pinned()->accepted());
  if (explanation_ != nullptr || unread.code() != base::StatusCode::kInvalidArgument || !tensors.has_value() ||
      !v1::CheckBody(body, RulesOf(environment_->options)).ok()) {
    return std::unexpected(std::move(unread));
  }
  takes_body_ = true;
  tensors_ = *tensors;
  INFERD_ASSIGN_OR_RETURN(auto request, v2::WholeBodyRequest(body, {.protocol = "v1", .verb = "predict"}, tensors_));
  request->model_name = model_;
  return request;
}

void InferCall::Execute(std::unique_ptr<core::InferRequest> request, core::Completion completion) {
  if (explanation_ != nullptr) {
    completion = Explanation::After(explanation_, *request, environment_->call_model, std::move(completion));
  }
  rest::InferCall::Execute(std::move(request), std::move(completion));
}

bool InferCall::EncodingIsBig(const core::InferResponse& response) const {
  return v1::EstimateText(response) >= environment_->options.offload_bytes;
}

base::Status InferCall::WriteAnswer(json::Writer& json, const core::InferResponse& response) const {
  const v1::Layout layout = row_ ? v1::Layout::kRowsIfAny : v1::Layout::kColumns;
  std::span<const core::InferTensor> outputs = response.outputs;
  std::span<const core::InferTensor> explanations;
  if (explanation_ != nullptr) {
    explanations = outputs.subspan(explanation_->predictions());
    outputs = outputs.first(explanation_->predictions());
  }
  json.BeginObject();
  INFERD_RETURN_IF_ERROR(v1::WriteOutputs(json, "predictions", outputs, layout));
  if (explanation_ != nullptr) {
    INFERD_RETURN_IF_ERROR(v1::WriteOutputs(json, "explanations", explanations, layout));
  }
  json.EndObject();
  return {};
}

base::Result<net::HttpResponse> InferCall::EncodeBody(const core::InferResponse& response) const {
  INFERD_ASSIGN_OR_RETURN(base::BufferSlice body, v2::WholeBodyOf(response, tensors_));
  net::HttpResponse answer;
  answer.content_type = "application/json";
  if (event_ == nullptr) {
    answer.body.push_back(std::move(body));
    return answer;
  }
  json::Reader reader(body.view(), {.depth_max = environment_->options.json_depth_max, .nonfinite_tokens = true});
  base::Status json = reader.SkipValue();
  if (json.ok()) json = reader.Finish();
  if (!json.ok())
    return std::unexpected(base::Internal("the model's answer is no JSON, which events are: " + json.message()));
  json::Writer writer(body.size());
  const CloudEvent event = event_->Answer(environment_->options.events, model_, environment_->clock.WallNs());
  event.Begin(writer);
  writer.Raw(body.view());
  return event.End(std::move(writer));
}

base::Result<net::HttpResponse> InferCall::Encode(core::InferResponse&& response) {
  if (takes_body_) return EncodeBody(response);
  json::Writer json(v1::EstimateText(response));
  if (event_ == nullptr) {
    INFERD_RETURN_IF_ERROR(WriteAnswer(json, response));
    return v1::JsonAnswer(std::move(json));
  }
  const CloudEvent answer = event_->Answer(environment_->options.events, model_, environment_->clock.WallNs());
  answer.Begin(json);
  INFERD_RETURN_IF_ERROR(WriteAnswer(json, response));
  return answer.End(std::move(json));
}

}  // namespace inferd::kserve_v1
