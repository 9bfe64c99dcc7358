#include "protocols/oip_http/codec/generate_request_reader.h"

#include <optional>
#include <string>
#include <utility>

#include "data/json/reader.h"
#include "data/tensorjson/data_parser.h"
#include "data/tensorjson/parse.h"
#include "protocols/oip_http/codec/request/parameters_json.h"
#include "protocols/v2/parameters.h"

namespace inferd::oip_http {

namespace {

// Returns the shape of `count` elements in the dimensions of `spec`, or nullopt if they do not fill it.
std::optional<tensor::Shape> FilledShape(const core::TensorSpec& spec, size_t count, bool list) {
  tensor::Shape shape;
  if (spec.unknown_rank) {
    if (list) shape.Append(static_cast<int64_t>(count));
    return shape;
  }
  auto left = static_cast<int64_t>(count);
  size_t open = spec.shape.rank();  // index of the last dimension of any size
  for (size_t i = 0; i < spec.shape.rank(); ++i) {
    const int64_t size = spec.shape[i];
    if (size < 0) {
      open = i;
    } else if (size == 0 || left % size != 0) {
      return std::nullopt;
    } else {
      left /= size;
    }
  }
  for (size_t i = 0; i < spec.shape.rank(); ++i) {
    const int64_t size = spec.shape[i];
    shape.Append(size >= 0 ? size : i == open ? std::exchange(left, 1) : 1);
  }
  if (left != 1) return std::nullopt;
  return shape;
}

base::Status InputRepeats(const std::string& name) {
  return base::InvalidArgument("input '" + name + "' already exists in request");
}

// Adds Triton's text if an element is of another JSON type than the input wants.
base::Status RefuseData(const std::string& input, const base::Status& status, tensorjson::DataFault fault) {
  const std::string_view words = tensorjson::WrongTypeText(fault);
  const base::Status named = words.empty() ? status : status.WithContext(std::string(words));
  return named.WithContext("input '" + input + "'");
}

class GenerateReader {
 public:
  GenerateReader(std::string_view body, const core::ModelSignature& signature, size_t depth_max)
      : reader_(body, {.depth_max = depth_max, .nonfinite_tokens = true}), signature_(signature) {}

  base::Result<std::unique_ptr<core::InferRequest>> Read() {
    INFERD_RETURN_IF_ERROR(ReadMembers(true));
    INFERD_RETURN_IF_ERROR(reader_.Finish());
    const auto settings = v2::TakeKnownParameters(*request_);
    if (!settings.has_value()) return std::unexpected(settings.error());
    return std::move(request_);
  }

 private:
  base::Status ReadMembers(bool outermost) {
    INFERD_RETURN_IF_ERROR(reader_.BeginObject());
    while (true) {
      const auto key = reader_.NextKey();
      if (!key.has_value()) return NameRepeatedInput(key.error());
      if (!key->has_value()) return base::OkStatus();
      INFERD_RETURN_IF_ERROR(ReadMember(**key, outermost));
    }
  }

  // The reader refuses a repeated key. Returns Triton's text if the key is that of an input, else `fault`.
  base::Status NameRepeatedInput(const base::Status& fault) const {
    const std::string_view key = reader_.repeated_key();
    if (key.data() == nullptr) return fault;
    for (const core::InferTensor& input : request_->inputs) {
      if (input.name == key) return InputRepeats(input.name);
    }
    return fault;
  }

  base::Status ReadMember(std::string_view key, bool outermost) {
    if (const int input = signature_.FindInput(key); input >= 0) return ReadInput(signature_.inputs[input]);
    if (outermost && key == "id") {
      INFERD_ASSIGN_OR_RETURN(const std::string_view id, reader_.ReadString());
      request_->id = id;
      return base::OkStatus();
    }
    if (outermost && key == "parameters") {
      INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader_.Peek());
      if (type != json::ValueType::kObject) return reader_.Error("Expected JSON object for keyword: 'parameters'");
      const base::Status status = ReadMembers(false);
      return status.ok() ? status : status.WithContext("Converting keyword: 'parameters'");
    }
    if (request_->parameters.size() == v2::kParametersMax) {
      return reader_.Error("more than " + std::to_string(v2::kParametersMax) + " parameters");
    }
    INFERD_ASSIGN_OR_RETURN(core::ParameterValue value, ReadParameterValue(reader_, key));
    request_->parameters.emplace_back(key, std::move(value));
    return base::OkStatus();
  }

  base::Status ReadInput(const core::TensorSpec& spec) {
    for (const core::InferTensor& input : request_->inputs) {
      if (input.name == spec.name) return InputRepeats(spec.name);
    }
    INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader_.Peek());
    const bool list = type == json::ValueType::kArray;
    const size_t count = list ? tensorjson::CountElements(reader_.Rest()) : 1;
    const std::optional<tensor::Shape> shape = FilledShape(spec, count, list);
    if (!shape) {
      return base::InvalidArgument("The schema can not convert input '" + spec.name +
                                   "' to tensor with proper shape: " + std::to_string(count) +
                                   (count == 1 ? " element" : " elements") + " for shape " + spec.shape.ToString());
    }
    // Reads a flat list, whatever the dimensions.
    const tensor::Shape flat = list ? tensor::Shape{static_cast<int64_t>(count)} : tensor::Shape{};
    auto fault = tensorjson::DataFault::kOther;
    auto data = tensorjson::ParseData(reader_, spec.datatype, flat, {.fault = &fault});
    if (!data.has_value()) return RefuseData(spec.name, data.error(), fault);
    request_->inputs.push_back({.name = spec.name,
                                .datatype = spec.datatype,
                                .shape = *shape,
                                .data = base::BufferSlice(*std::move(data)),
                                .parameters = {}});
    return base::OkStatus();
  }

  json::Reader reader_;
  const core::ModelSignature& signature_;
  std::unique_ptr<core::InferRequest> request_ = std::make_unique<core::InferRequest>();
};

}  // namespace

base::Result<std::unique_ptr<core::InferRequest>> ReadGenerateRequest(std::string_view body,
                                                                      const core::ModelSignature& signature,
                                                                      size_t depth_max) {
  return GenerateReader(body, signature, depth_max).Read();
}

}  // namespace inferd::oip_http
