#include "protocols/trtis_http/infer_call.h"

#include <algorithm>
#include <utility>

#include "protocols/trtis/answer.h"
#include "protocols/trtis/infer_header_text.h"
#include "protocols/trtis/model_version.h"
#include "protocols/trtis/own_requests.h"
#include "protocols/trtis_http/nv_status.h"
#include "serving/core/request/request_timeout.h"

namespace inferd::trtis_http {

InferCall::InferCall(std::shared_ptr<const Environment> environment, rest::Call&& call, const Route& route,
                     int64_t received_ns)
    : rest::InferCall(rest::SurroundingsOf(*environment), std::move(call)),
      environment_(std::move(environment)),
      model_(route.model),
      version_(route.version),
      binary_(route.binary),
      received_ns_(received_ns) {}

base::Status InferCall::BeginWith(const net::RequestHead& head) {
  INFERD_RETURN_IF_ERROR(
      trtis::CheckInferring(*environment_->options.state, environment_->catalog, environment_->draining));
  auto header = trtis::ReadInferHeaderText(head.Find("NV-InferRequest").value_or(""));
  if (!header.has_value()) return header.error().WithContext("unable to parse request for model '" + model_ + "'");
  INFERD_RETURN_IF_ERROR(trtis::CheckBatchSize(*header));
  batch_size_ = header->batch_size;
  if (id_ == 0) id_ = environment_->options.state->NextRequestId();
  INFERD_ASSIGN_OR_RETURN(version_, trtis::ReadVersion(version_));
  if (pinned() == nullptr) {
    INFERD_ASSIGN_OR_RETURN(auto found, trtis::FindModel(dispatcher(), environment_->catalog, model_, version_));
    Pin(std::move(found));
  }
  INFERD_ASSIGN_OR_RETURN(auto planned, trtis::PlanRequest(*std::move(header), pinned()->signature(), model_));
  request_ = std::move(planned.request);
  plan_ = std::move(planned.plan);
  return {};
}

base::Result<std::unique_ptr<core::InferRequest>> InferCall::Decode(const base::BufferSlice& body) {
  INFERD_RETURN_IF_ERROR(trtis::SetBody(body, *request_));
  request_->model_version = version_;
  return std::move(request_);
}

// Finding classes examines every element.
bool InferCall::EncodingIsBig(const core::InferResponse& response) const {
  size_t ranked = 0;
  for (size_t i = 0; i < plan_.outputs.size() && i < response.outputs.size(); ++i) {
    if (plan_.outputs[i].classes) ranked += response.outputs[i].data.size();
  }
  return ranked >= environment_->options.offload_bytes;
}

base::Result<net::HttpResponse> InferCall::Encode(core::InferResponse&& response) {
  INFERD_ASSIGN_OR_RETURN(const trtis::Answer answer,
                          trtis::MakeAnswer(response, plan_, pinned()->signature(), pinned()->version()));
  net::HttpResponse http;
  http.content_type = "application/octet-stream";
  base::BufferSlice header(base::Buffer::CopyOf(binary_ ? trtis::AnswerMessage(answer) : trtis::AnswerText(answer)));
  for (size_t i = 0; i < answer.outputs.size(); ++i) {
    if (answer.outputs[i].raw) http.body.push_back(std::move(response.outputs[i].data));
  }
  http.body.push_back(std::move(header));
  return http;
}

rest::AnswerDeadline::MakeAnswer InferCall::late_answer() const {
  return [](const rest::Options& options) {
    return FailureResponse(static_cast<const Options&>(options), core::RequestTimeout(), 0);
  };
}

void InferCall::OnEnd(base::StatusCode code, net::HttpResponse& answer) {
  const Options& options = environment_->options;
  if (code == base::StatusCode::kOk) return AddSuccess(options, id_, answer);
  if (!dispatched_ && pinned() != nullptr) {
    pinned()->CountRefused(environment_->clock.NowNs() - received_ns_, batch_size_);
  }
  if (failure().ok()) return;  // the time was up: the answer states it
  call().SetError(failure().message());
  answer = FailureResponse(options, failure(), id_, retry_after_ms());
}

}  // namespace inferd::trtis_http
