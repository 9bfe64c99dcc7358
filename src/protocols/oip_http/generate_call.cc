#include "protocols/oip_http/generate_call.h"

#include <utility>

#include "protocols/oip_http/codec/generate_request_reader.h"
#include "protocols/oip_http/codec/generate_response_writer.h"
#include "protocols/oip_http/codec/infer_headers.h"
#include "protocols/oip_http/codec/infer_response_writer.h"

namespace inferd::oip_http {

GenerateCall::GenerateCall(Call call, const Route& route)
    : rest::InferCall(rest::SurroundingsOf(call.environment()),
                      static_cast<rest::Call&&>(call)),  // without its environment
      options_(call.options()),
      model_(route.model),
      version_(route.version),
      load_metrics_(call.environment().load),
      streams_(route.endpoint == Endpoint::kGenerateStream) {}

base::Status GenerateCall::BeginWith(const net::RequestHead& head) {
  if (pinned() == nullptr) {
    INFERD_ASSIGN_OR_RETURN(auto found, dispatcher().Find(model_, version_));
    Pin(std::move(found));
  }
  load_metrics_.Read(head);
  SetCoding(
      net::ParseContentCoding(head.Find("Content-Encoding").value_or("")).value_or(net::ContentCoding::kIdentity));
  if (!streams_) return base::OkStatus();
  const bool lines = rest::AcceptedEventForm(head.Find("Accept").value_or("")) == rest::EventForm::kLines;
  SetEvents(lines ? rest::EventForm::kLines : rest::EventForm::kServerSent);
  return base::OkStatus();
}

base::Result<std::unique_ptr<core::InferRequest>> GenerateCall::Decode(const base::BufferSlice& body) {
  const base::Status fits =
      CheckInputSize(body.size(), options_.json_bytes_max, /*raw=*/false, options_.json_bytes_option);
  if (!fits.ok()) return std::unexpected(fits);
  INFERD_ASSIGN_OR_RETURN(auto request,
                          ReadGenerateRequest(body.view(), pinned()->signature(), options_.json_depth_max));
  request->model_name = model_;
  request->model_version = version_;
  return request;
}

bool GenerateCall::EncodingIsBig(const core::InferResponse& response) const {
  return EstimateSize(response, {}).json_bytes >= options_.offload_bytes;
}

base::Result<net::HttpResponse> GenerateCall::Encode(core::InferResponse&& response) {
  return WriteGenerateResponse(response, options_);
}

void GenerateCall::OnEnd(base::StatusCode code, net::HttpResponse& answer) {
  if (code == base::StatusCode::kOk && !streams_) load_metrics_.AddTo(answer, pinned()->pending());
}

base::Status GenerateCall::NotOneResponse() const {
  return base::InvalidArgument(
      "generate expects model to produce exactly 1 response, use generate stream for model that generates various "
      "number of responses");
}

}  // namespace inferd::oip_http
