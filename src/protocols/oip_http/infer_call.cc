#include "protocols/oip_http/infer_call.h"

#include <string>
#include <utility>

#include "protocols/oip_http/codec/infer_headers.h"
#include "protocols/oip_http/codec/raw_request.h"
#include "protocols/oip_http/request_advice.h"
#include "protocols/v2/bodies/whole_body.h"

namespace inferd::oip_http {

namespace {

constexpr int kUnsupportedMediaType = 415;

}  // namespace

InferCall::InferCall(Call call, const Route& route)
    : rest::InferCall(rest::SurroundingsOf(call.environment()),
                      static_cast<rest::Call&&>(call)),  // without its environment
      options_(call.options()),
      catalog_(call.environment().catalog),
      model_(route.model),
      version_(route.version),
      load_metrics_(call.environment().load),
      registry_(call.environment().regions) {}

// Looks up the model first: without a model nothing needs decoding.
base::Status InferCall::BeginWith(const net::RequestHead& head) {
  if (pinned() == nullptr) {
    auto found = dispatcher().Find(model_, version_);
    if (!found.has_value()) {
      return options_.advice ? WithModelAdvice(found.error(), Meant(), catalog_) : std::move(found).error();
    }
    Pin(*std::move(found));
  }
  bool unknown_coding = false;
  auto headers = ReadInferHeaders(head, unknown_coding);
  if (!headers.has_value()) return WithHttpStatus(unknown_coding ? kUnsupportedMediaType : 0, headers.error());
  headers_ = *headers;
  load_metrics_.Read(head);
  takes_body_ = !headers_.json_bytes.has_value() && v2::TakesOnlyWholeBody(pinned()->signature());
  if (takes_body_) request_headers_ = v2::HeadersJson({head.headers.data(), head.headers.size()});
  SetCoding(headers_.coding, headers_.json_bytes.value_or(0));
  SetEvents(headers_.events);
  const bool refused = options_.triton_exact && pinned()->signature().decoupled;
  if (refused && event_form() == rest::EventForm::kNone) {
    return base::Unimplemented("HTTP end point doesn't support models with decoupled transaction policy");
  }
  return {};
}

bool InferCall::DecodingIsBig(size_t body_bytes) const {
  // A raw binary request is read completely as well: a BYTES element is copied.
  const uint64_t json_bytes = headers_.json_bytes.value_or(0);
  return (json_bytes == 0 ? body_bytes : json_bytes) >= options_.offload_bytes;
}

base::Status InferCall::Advised(base::Status failure) const {
  return options_.advice ? WithInputAdvice(failure, model_, *pinned()) : failure;
}

base::Result<std::unique_ptr<core::InferRequest>> InferCall::Decode(const base::BufferSlice& body) {
  const uint64_t json_bytes = headers_.json_bytes.value_or(body.size());
  if (json_bytes > body.size()) {
    return std::unexpected(base::InvalidArgument("inference header size should be in range (0, " +
                                                 std::to_string(body.size()) +
                                                 "), got: " + std::to_string(json_bytes)));
  }
  const bool raw = headers_.json_bytes == 0;
  const base::Status fits =
      CheckInputSize(raw ? body.size() : json_bytes, options_.json_bytes_max, raw, options_.json_bytes_option);
  if (!fits.ok()) return std::unexpected(fits);
  if (takes_body_ && !body.view().contains(v2::kBodyInput)) {
    const v2::BodyOrigin origin{.protocol = "v2", .verb = "predict", .headers = request_headers_};
    INFERD_ASSIGN_OR_RETURN(auto whole, v2::WholeBodyRequest(body.view(), origin));
    whole->model_name = model_;
    whole->model_version = version_;
    return whole;
  }
  takes_body_ = false;
  auto decoded = raw ? ReadRawRequest(body, pinned()->signature(), model_, options_.triton_exact)
                     : ReadInferRequest(body, static_cast<size_t>(json_bytes), headers_.json_bytes.has_value(), model_,
                                        options_.json_depth_max, options_.triton_exact);
  if (!decoded.has_value()) return std::unexpected(std::move(decoded).error());
  forms_ = std::move(decoded->forms);
  if (options_.triton_exact) forms_.class_values = v2::ClassValues::kSixDecimals;
  if (event_form() != rest::EventForm::kNone) {
    forms_.default_form.binary = false;
    for (v2::OutputSettings& form : forms_.forms) form.binary = false;
  }
  INFERD_ASSIGN_OR_RETURN(regions_, v2::RegionTensors::Attach(*decoded->request, registry_, options_.regions_disabled));
  decoded->request->model_name = model_;
  decoded->request->model_version = version_;
  return std::move(decoded->request);
}

bool InferCall::EncodingIsBig(const core::InferResponse& response) const {
  const ResponseSize size = EstimateSize(response, forms_);
  const bool compressed = headers_.answer != net::ContentCoding::kIdentity;
  return size.json_bytes >= options_.offload_bytes ||
         (compressed && size.json_bytes + size.binary_bytes >= options_.offload_compressed_bytes);
}

base::Result<net::HttpResponse> InferCall::Encode(core::InferResponse&& response) {
  if (takes_body_) {
    INFERD_ASSIGN_OR_RETURN(base::BufferSlice body, v2::WholeBodyOf(response));
    net::HttpResponse whole;
    whole.content_type = "application/json";
    whole.body.push_back(std::move(body));
    INFERD_RETURN_IF_ERROR(CompressBody(whole, headers_.answer, options_));
    return whole;
  }
  if (event_form() != rest::EventForm::kNone && pinned()->signature().decoupled) {
    response.parameters.emplace_back("triton_final_response", response.final);
  }
  // Triton's C++ client takes an output with parameters for a binary one.
  if (regions_ != nullptr) {
    INFERD_RETURN_IF_ERROR(regions_->Settle(response, v2::RegionTensors::Answer::kShapes));
  }
  INFERD_ASSIGN_OR_RETURN(net::HttpResponse answer,
                          WriteInferResponse(std::move(response), forms_, pinned()->signature(), options_));
  INFERD_RETURN_IF_ERROR(CompressBody(answer, headers_.answer, options_));
  return answer;
}

void InferCall::OnEnd(base::StatusCode code, net::HttpResponse& answer) {
  const bool streams = event_form() != rest::EventForm::kNone;
  if (code == base::StatusCode::kOk && !streams) load_metrics_.AddTo(answer, pinned()->pending());
  if (regions_ != nullptr) regions_->End();
}

base::Status InferCall::NotOneResponse() const {
  if (options_.triton_exact) {
    return base::Internal("expected a single response, got " + std::to_string(response_count()));
  }
  return base::Unimplemented(
      "HTTP end point doesn't support models with decoupled transaction policy, unless they give exactly one response: "
      "ask for a stream (Accept: text/event-stream)");
}

}  // namespace inferd::oip_http
