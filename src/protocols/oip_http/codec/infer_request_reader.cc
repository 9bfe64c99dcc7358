#include "protocols/oip_http/codec/infer_request_reader.h"

#include <optional>
#include <utility>

#include "protocols/oip_http/codec/request/request_memo.h"

namespace inferd::oip_http {

namespace {

using base::InvalidArgument;

// Assigns the bytes after the JSON to the inputs that announced a size.
base::Status AttachBinary(const base::BufferSlice& body, size_t json_bytes, bool binary_allowed, std::string_view model,
                          RequestJson& json) {
  const auto& sizes = json.binary_sizes;
  size_t offset = json_bytes;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!sizes[i]) continue;
    core::InferTensor& input = json.request->inputs[i];
    if (!binary_allowed) {
      return InvalidArgument("input '" + input.name +
                             "': must specify valid 'Infer-Header-Content-Length' in request "
                             "header and 'binary_data_size' when passing inputs in binary data format: expected an "
                             "Inference-Header-Content-Length header, got none");
    }
    const size_t left = body.size() - offset;
    if (*sizes[i] > left) {
      return InvalidArgument("unexpected size for input '" + input.name + "', expecting " +
                             std::to_string(*sizes[i] - left) + " additional bytes for model '" + std::string(model) +
                             "': expected " + std::to_string(*sizes[i]) + " bytes, got " + std::to_string(left));
    }
    input.data = body.Sub(offset, static_cast<size_t>(*sizes[i]));
    offset += static_cast<size_t>(*sizes[i]);
  }
  if (offset != body.size()) {
    return InvalidArgument("unexpected additional input data for model '" + std::string(model) + "': expected " +
                           std::to_string(offset - json_bytes) + " bytes behind the JSON, got " +
                           std::to_string(body.size() - json_bytes));
  }
  return {};
}

}  // namespace

base::Result<DecodedRequest> ReadInferRequest(const base::BufferSlice& body, size_t json_bytes, bool binary_allowed,
                                              std::string_view model, size_t depth_max, bool triton_exact) {
  thread_local RequestMemo memo;
  INFERD_ASSIGN_OR_RETURN(RequestJson json, memo.Read(body.view().substr(0, json_bytes), depth_max, triton_exact));
  INFERD_RETURN_IF_ERROR(AttachBinary(body, json_bytes, binary_allowed, model, json));
  const core::InferRequest& request = *json.request;
  const bool binary_default = json.settings.binary_data_output && !(triton_exact && !request.outputs.empty());
  INFERD_ASSIGN_OR_RETURN(v2::OutputForms forms, v2::ReadOutputForms(request, binary_default));
  return DecodedRequest{.request = std::move(json.request), .forms = std::move(forms)};
}

}  // namespace inferd::oip_http
