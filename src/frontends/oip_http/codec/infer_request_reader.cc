#include "frontends/oip_http/codec/infer_request_reader.h"

#include <optional>
#include <utility>

#include "frontends/oip_http/codec/input_reader.h"
#include "frontends/oip_http/codec/parameters_json.h"
#include "json/reader.h"

namespace inferd::oip_http {

namespace {

using base::InvalidArgument;
using BinarySizes = boost::container::small_vector<std::optional<uint64_t>, 4>;

// Reads the request object's members into `decoded`, and how many binary bytes each input has.
class RequestReader {
 public:
  RequestReader(std::string_view text, size_t depth_max, core::InferRequest& request)
      : text_(text), reader_(text, {.depth_max = depth_max, .nonfinite_tokens = true}), request_(request) {}

  base::Status Read() {
    INFERD_RETURN_IF_ERROR(reader_.BeginObject());
    for (;;) {
      INFERD_ASSIGN_OR_RETURN(const std::optional<std::string_view> key, reader_.NextKey());
      if (!key) break;
      INFERD_RETURN_IF_ERROR(ReadMember(*key));
    }
    INFERD_RETURN_IF_ERROR(reader_.Finish());
    if (!has_inputs_) return InvalidArgument("expected a member 'inputs', got none");
    return {};
  }

  const BinarySizes& binary_sizes() const { return binary_sizes_; }
  const v2::RequestSettings& settings() const { return settings_; }

 private:
  base::Status ReadMember(std::string_view key) {
    if (key == "inputs") return ReadInputs();
    if (key == "outputs") return ReadOutputs();
    if (key == "id") {
      auto id = reader_.ReadString();
      if (!id.has_value()) return id.error().WithContext("id");
      request_.id = *id;
      return {};
    }
    if (key == "parameters") return ReadOwnParameters();
    return reader_.SkipValue();
  }

  base::Status ReadOwnParameters() {
    ParametersReader parameters(reader_, "");
    INFERD_RETURN_IF_ERROR(parameters.Begin());
    for (;;) {
      INFERD_ASSIGN_OR_RETURN(auto parameter, parameters.Next());
      if (!parameter) return {};
      INFERD_ASSIGN_OR_RETURN(const bool taken,
                              v2::TakeKnownParameter(parameter->name, parameter->value, request_, settings_));
      if (!taken) request_.parameters.emplace_back(parameter->name, std::move(parameter->value));
    }
  }

  base::Status ReadInputs() {
    if (base::Status status = reader_.BeginArray(); !status.ok()) return status.WithContext("inputs");
    has_inputs_ = true;
    for (size_t i = 0;; ++i) {
      INFERD_ASSIGN_OR_RETURN(const bool more, reader_.NextElement());
      if (!more) return {};
      if (i == v2::kTensorsMax) return TooMany("inputs");
      INFERD_ASSIGN_OR_RETURN(const auto binary_bytes, ReadInput(reader_, text_, i, request_.inputs.emplace_back()));
      if (!binary_bytes) continue;
      binary_sizes_.resize(i + 1);
      binary_sizes_[i] = binary_bytes;
    }
  }

  base::Status ReadOutputs() {
    if (base::Status status = reader_.BeginArray(); !status.ok()) return status.WithContext("outputs");
    for (size_t i = 0;; ++i) {
      INFERD_ASSIGN_OR_RETURN(const bool more, reader_.NextElement());
      if (!more) return {};
      if (i == v2::kTensorsMax) return TooMany("outputs");
      if (base::Status status = ReadOutput(); !status.ok()) return status.WithContext("output #" + std::to_string(i));
    }
  }

  base::Status ReadOutput() {
    core::RequestedOutput output;
    bool has_name = false;
    INFERD_RETURN_IF_ERROR(reader_.BeginObject());
    for (;;) {
      INFERD_ASSIGN_OR_RETURN(const std::optional<std::string_view> key, reader_.NextKey());
      if (!key) break;
      if (*key == "name") {
        INFERD_ASSIGN_OR_RETURN(output.name, reader_.ReadString());
        has_name = true;
      } else if (*key == "parameters") {
        INFERD_ASSIGN_OR_RETURN(output.parameters, ReadParameters(reader_, ""));
      } else {
        INFERD_RETURN_IF_ERROR(reader_.SkipValue());
      }
    }
    if (!has_name) return InvalidArgument("expected a member 'name', got none");
    request_.outputs.push_back(std::move(output));
    return {};
  }

  base::Status TooMany(std::string_view what) const {
    return reader_.Error("expected at most " + std::to_string(v2::kTensorsMax) + " " + std::string(what) +
                         ", got more");
  }

  const std::string_view text_;
  json::Reader reader_;
  core::InferRequest& request_;
  BinarySizes binary_sizes_;  // shorter than inputs where the last ones have none
  v2::RequestSettings settings_;
  bool has_inputs_ = false;
};

// Cuts what stands behind the JSON into the inputs that announced a size.
base::Status AttachBinary(const base::BufferSlice& body, size_t json_bytes, const BinarySizes& sizes,
                          bool binary_allowed, std::string_view model, core::InferRequest& request) {
  size_t offset = json_bytes;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!sizes[i]) continue;
    core::InferTensor& input = request.inputs[i];
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
  DecodedRequest decoded;
  decoded.request = std::make_unique<core::InferRequest>();
  core::InferRequest& request = *decoded.request;
  RequestReader reader(body.view().substr(0, json_bytes), depth_max, request);
  INFERD_RETURN_IF_ERROR(reader.Read());
  INFERD_RETURN_IF_ERROR(AttachBinary(body, json_bytes, reader.binary_sizes(), binary_allowed, model, request));
  const bool binary_default = reader.settings().binary_data_output && !(triton_exact && !request.outputs.empty());
  INFERD_ASSIGN_OR_RETURN(decoded.forms, v2::ReadOutputForms(request, binary_default));
  return decoded;
}

}  // namespace inferd::oip_http
