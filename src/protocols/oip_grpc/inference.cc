#include "protocols/oip_grpc/inference.h"

#include <algorithm>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "protocols/oip_grpc/codec/infer_request_reader.h"
#include "protocols/oip_grpc/codec/message_outline.h"
#include "protocols/v2/parameters.h"

namespace inferd::oip_grpc {

namespace {

// Removes a boolean parameter from `parameters`; without it, `flag` is unchanged.
base::Status TakeFlag(core::Parameters& parameters, std::string_view name, bool& flag) {
  const auto entry = std::ranges::find(parameters, name, &core::Parameters::value_type::first);
  if (entry == parameters.end()) return {};
  const auto* given = std::get_if<bool>(&entry->second);
  if (given == nullptr) {
    return base::InvalidArgument("parameter '" + std::string(name) + "': expected true or false, got " +
                                 v2::Describe(entry->second));
  }
  flag = *given;
  parameters.erase(entry);
  return {};
}

}  // namespace

base::Result<PreparedRequest> PrepareRequest(const base::BufferSlice& message, const rpc::Forwarded& forwarded,
                                             const Environment& environment) try {
  const Options& options = environment.options;
  INFERD_ASSIGN_OR_RETURN(DecodedRequest decoded, ReadInferRequest(message));
  PreparedRequest prepared{.request = std::move(decoded.request), .form = {}};
  core::InferRequest& request = *prepared.request;
  bool typed = options.typed_outputs || (options.typed_as_inputs && decoded.typed_contents);
  INFERD_RETURN_IF_ERROR(TakeFlag(request.parameters, "typed_contents", typed));
  prepared.form.contents = typed ? Contents::kTyped : Contents::kRaw;
  INFERD_RETURN_IF_ERROR(
      TakeFlag(request.parameters, "triton_enable_empty_final_response", prepared.form.empty_final_response));
  if (auto settings = v2::TakeKnownParameters(request); !settings.has_value()) {
    return std::unexpected(std::move(settings).error());
  }
  INFERD_RETURN_IF_ERROR(rpc::AddForwarded(forwarded, options, request));
  INFERD_ASSIGN_OR_RETURN(prepared.form.outputs, v2::ReadOutputForms(request, true));
  INFERD_ASSIGN_OR_RETURN(prepared.form.regions,
                          v2::RegionTensors::Attach(request, environment.regions, options.regions_disabled));
  // An output without bytes has no typed form.
  const bool in_region = std::ranges::any_of(prepared.form.outputs.forms, &v2::OutputSettings::region);
  if (in_region) prepared.form.contents = Contents::kRaw;
  if (options.triton_exact) prepared.form.outputs.class_values = v2::ClassValues::kSixDecimals;
  return prepared;
} catch (const std::bad_alloc&) {
  return std::unexpected(base::ResourceExhausted("not enough memory for this request"));
}

bool PreparingIsBig(const base::BufferSlice& message, const Options& options) {
  if (message.size() < options.offload_bytes) return false;
  return message.size() - ReadOutline(message.view()).raw_bytes >= options.offload_bytes;
}

base::Result<net::grpc::Message> EncodeResponse(ResponseWriter write, core::InferResponse&& response,
                                                const ResponseForm& form, const core::ModelSignature& signature) try {
  if (form.regions != nullptr) {
    INFERD_RETURN_IF_ERROR(form.regions->Settle(response, v2::RegionTensors::Answer::kPlaces));
  }
  INFERD_RETURN_IF_ERROR(v2::ClassifyOutputs(response, form.outputs, signature));
  return write(std::move(response), form.contents);
} catch (const std::bad_alloc&) {
  return std::unexpected(base::ResourceExhausted("not enough memory for this response"));
}

bool EncodingIsBig(const core::InferResponse& response, const ResponseForm& form, const Options& options) {
  if (form.contents == Contents::kRaw && form.outputs.forms.empty()) return false;
  size_t bytes = 0;
  for (size_t i = 0; i < response.outputs.size(); ++i) {
    if (form.contents == Contents::kTyped || form.outputs.of(i).classes > 0) bytes += response.outputs[i].data.size();
  }
  return bytes >= options.offload_bytes;
}

}  // namespace inferd::oip_grpc
