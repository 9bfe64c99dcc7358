#include "protocols/oip_http/codec/request/request_json.h"

#include <algorithm>
#include <string>
#include <utility>

#include "data/json/reader.h"
#include "protocols/oip_http/codec/request/input_reader.h"
#include "protocols/oip_http/codec/request/parameters_json.h"

namespace inferd::oip_http {

namespace {

using base::InvalidArgument;

class RequestReader {
 public:
  RequestReader(std::string_view text, size_t depth_max, bool any_nesting, RequestJson& json)
      : text_(text),
        any_nesting_(any_nesting),
        reader_(text, {.depth_max = depth_max, .nonfinite_tokens = true}),
        json_(json),
        request_(*json.request) {}

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
  // The kind of the error that Read() returned, if data was refused.
  tensorjson::DataFault data_fault() const { return data_fault_; }

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
                              v2::TakeKnownParameter(parameter->name, parameter->value, request_, json_.settings));
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
      INFERD_ASSIGN_OR_RETURN(const auto binary_bytes,
                              ReadInput(reader_, text_, i, request_.inputs.emplace_back(), data_fault_, any_nesting_));
      if (!binary_bytes) continue;
      json_.binary_sizes.resize(i + 1);
      json_.binary_sizes[i] = binary_bytes;
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
  const bool any_nesting_;
  json::Reader reader_;
  RequestJson& json_;
  core::InferRequest& request_;
  bool has_inputs_ = false;
  tensorjson::DataFault data_fault_ = tensorjson::DataFault::kOther;
};

// If `text` is refused because of a tensor's data, `fault` gets the kind of the error.
base::Result<RequestJson> Parse(std::string_view text, size_t depth_max, bool any_nesting,
                                tensorjson::DataFault& fault) {
  RequestJson json{.request = std::make_unique<core::InferRequest>(), .binary_sizes = {}, .settings = {}};
  RequestReader reader(text, depth_max, any_nesting, json);
  const base::Status status = reader.Read();
  fault = reader.data_fault();
  if (!status.ok()) return std::unexpected(status);
  return json;
}

}  // namespace

RequestJson RequestJson::Copy() const {
  return {
      .request = std::make_unique<core::InferRequest>(*request), .binary_sizes = binary_sizes, .settings = settings};
}

bool RequestJson::OnlyDescribes() const {
  return std::ranges::all_of(request->inputs, [](const core::InferTensor& input) { return input.data.empty(); });
}

base::Result<RequestJson> ReadRequestJson(std::string_view text, size_t depth_max, bool triton_exact) {
  tensorjson::DataFault fault = tensorjson::DataFault::kOther;
  auto json = Parse(text, depth_max, false, fault);
  if (json.has_value() || !triton_exact) return json;
  // Triton only counts the elements. Such data is rare, so it costs a second reading rather than a check in the first.
  const bool nested = fault == tensorjson::DataFault::kWrongSize || fault == tensorjson::DataFault::kNesting;
  if (nested) json = Parse(text, depth_max, true, fault);
  if (json.has_value()) return json;
  if (fault == tensorjson::DataFault::kWrongSize) {
    return std::unexpected(InvalidArgument(std::string(tensorjson::kWrongSizeText)));
  }
  const std::string_view words = tensorjson::WrongTypeText(fault);
  if (words.empty()) return json;
  return std::unexpected(json.error().WithContext("Unable to parse 'data': " + std::string(words)));
}

}  // namespace inferd::oip_http
