#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>

#include "data/tensor/raw.h"
#include "oip/grpc_service.pb.h"
#include "protocols/oip_grpc/codec/typed_contents_field.h"
#include "protocols/v2/parameters.h"
#include "serving/core/request/infer_request.h"

// A second, slow implementation of the rules of infer_request_reader.h, over the generated class.

namespace inferd::fuzz {

using ParameterMap = google::protobuf::Map<std::string, inference::InferParameter>;

// Compares doubles by their bits, so that NaN equals itself.
inline std::string Describe(const core::ParameterValue& value) {
  if (const auto* real = std::get_if<double>(&value)) return "double " + std::to_string(std::bit_cast<uint64_t>(*real));
  if (const auto* text = std::get_if<std::string>(&value)) return "string " + *text;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* integer = std::get_if<int64_t>(&value)) return "int64 " + std::to_string(*integer);
  return "uint64 " + std::to_string(std::get<uint64_t>(value));
}

inline std::string Describe(const inference::InferParameter& value) {
  using inference::InferParameter;
  switch (value.parameter_choice_case()) {
    case InferParameter::kBoolParam: return Describe(core::ParameterValue(value.bool_param()));
    case InferParameter::kInt64Param: return Describe(core::ParameterValue(int64_t{value.int64_param()}));
    case InferParameter::kStringParam: return Describe(core::ParameterValue(value.string_param()));
    case InferParameter::kDoubleParam: return Describe(core::ParameterValue(value.double_param()));
    case InferParameter::kUint64Param: return Describe(core::ParameterValue(uint64_t{value.uint64_param()}));
    case InferParameter::PARAMETER_CHOICE_NOT_SET: return "";
  }
  return "";
}

inline bool SameParameters(const core::Parameters& ours, const ParameterMap& theirs) {
  return ours.size() == theirs.size() && std::ranges::all_of(ours, [&theirs](const auto& entry) {
           const auto it = theirs.find(entry.first);
           return it != theirs.end() && Describe(it->second) == Describe(entry.second);
         });
}

inline bool ParametersAllowed(const ParameterMap& parameters) {
  return std::ranges::all_of(parameters, [](const auto& entry) { return !Describe(entry.second).empty(); });
}

// Appends `values` as tensor elements of type T. Returns false if T cannot hold one.
template <typename T, typename Values>
bool AppendElements(const Values& values, std::string& data) {
  for (const auto value : values) {
    const T element = static_cast<T>(value);
    if constexpr (std::is_integral_v<T>) {
      if (static_cast<std::remove_cv_t<decltype(value)>>(element) != value) return false;
    }
    data.append(reinterpret_cast<const char*>(&element), sizeof element);
  }
  return true;
}

inline bool AppendContents(tensor::DataType type, const inference::InferTensorContents& contents, std::string& data) {
  using tensor::DataType;
  switch (type) {
    case DataType::kBool: return AppendElements<bool>(contents.bool_contents(), data);
    case DataType::kInt8: return AppendElements<int8_t>(contents.int_contents(), data);
    case DataType::kInt16: return AppendElements<int16_t>(contents.int_contents(), data);
    case DataType::kInt32: return AppendElements<int32_t>(contents.int_contents(), data);
    case DataType::kInt64: return AppendElements<int64_t>(contents.int64_contents(), data);
    case DataType::kUint8: return AppendElements<uint8_t>(contents.uint_contents(), data);
    case DataType::kUint16: return AppendElements<uint16_t>(contents.uint_contents(), data);
    case DataType::kUint32: return AppendElements<uint32_t>(contents.uint_contents(), data);
    case DataType::kUint64: return AppendElements<uint64_t>(contents.uint64_contents(), data);
    case DataType::kFp32: return AppendElements<float>(contents.fp32_contents(), data);
    case DataType::kFp64: return AppendElements<double>(contents.fp64_contents(), data);
    case DataType::kBytes:
      for (const std::string& element : contents.bytes_contents()) {
        const auto length = static_cast<uint32_t>(element.size());
        data.append(reinterpret_cast<const char*>(&length), sizeof length).append(element);
      }
      return true;
    default: return false;
  }
}

// Returns true if only the field of `type` has elements.
inline bool OnlyFieldOf(tensor::DataType type, const inference::InferTensorContents& contents) {
  const int sizes[] = {contents.bool_contents_size(), contents.int_contents_size(),    contents.int64_contents_size(),
                       contents.uint_contents_size(), contents.uint64_contents_size(), contents.fp32_contents_size(),
                       contents.fp64_contents_size(), contents.bytes_contents_size()};
  for (uint32_t i = 0; i < std::size(sizes); ++i) {
    if (sizes[i] > 0 && i + 1 != oip_grpc::ContentsField(type)) return false;
  }
  return true;
}

// Returns the bytes of an input with neither raw data nor shared memory. nullopt if it must be refused.
inline std::optional<std::string> TypedData(const inference::ModelInferRequest::InferInputTensor& input) {
  const auto type = tensor::ParseDataType(input.datatype());
  if (!type || input.shape_size() > static_cast<int>(tensor::kRankMax)) return std::nullopt;
  tensor::Shape shape;
  for (const int64_t dim : input.shape()) shape.Append(dim);
  const bool fits = *type == tensor::DataType::kBytes ? tensor::ElementCount(shape).has_value()
                                                      : tensor::ByteSize(*type, shape).has_value();
  if (!fits || !ParametersAllowed(input.parameters())) return std::nullopt;
  std::string data;
  if (!input.has_contents()) return data;
  if (!OnlyFieldOf(*type, input.contents()) || !AppendContents(*type, input.contents(), data)) return std::nullopt;
  return data;
}

// Returns true if the input's bytes are in the client's shared memory.
inline bool NamesRegion(const inference::ModelInferRequest::InferInputTensor& input) {
  return std::ranges::any_of(input.parameters(),
                             [](const auto& parameter) { return parameter.first.starts_with("shared_memory_"); });
}

// Returns the bytes of `message`'s tensors, in the order of its inputs. nullopt if it must be refused.
inline std::optional<std::vector<std::string>> ExpectedData(const inference::ModelInferRequest& message) {
  constexpr int kMax = static_cast<int>(v2::kTensorsMax);
  if (message.inputs_size() > kMax || message.outputs_size() > kMax) return std::nullopt;
  if (!ParametersAllowed(message.parameters())) return std::nullopt;
  for (const auto& output : message.outputs()) {
    if (!ParametersAllowed(output.parameters())) return std::nullopt;
  }
  std::vector<std::string> data;
  int raw = 0;
  for (const auto& input : message.inputs()) {
    const auto typed = TypedData(input);
    if (!typed) return std::nullopt;
    data.push_back(*typed);
    if (message.raw_input_contents_size() == 0 || NamesRegion(input)) continue;
    if (raw < message.raw_input_contents_size()) data.back() = message.raw_input_contents(raw);
    ++raw;
  }
  if (message.raw_input_contents_size() == 0) return data;
  const bool any_typed = std::ranges::any_of(message.inputs(), [](const auto& input) { return input.has_contents(); });
  if (any_typed || raw != message.raw_input_contents_size()) return std::nullopt;
  return data;
}

}  // namespace inferd::fuzz
