#include "engines/onnxruntime/gpu/tensorrt_plan.h"

#include <array>
#include <fstream>
#include <system_error>

#include "data/wire/append.h"
#include "engines/kit/parameters.h"
#include "engines/onnxruntime/graph/onnx_fields.h"

namespace inferd::onnxruntime {

namespace {

using kit::ToView;
using wire::NumberOf;

constexpr int64_t kIrVersion = 8;
constexpr int64_t kOpset = 17;
constexpr int64_t kMicrosoftOpset = 1;
constexpr std::string_view kMicrosoft = "com.microsoft";
constexpr std::string_view kProvider = "TensorrtExecutionProvider";
constexpr std::array<std::string_view, 2> kMarks = {"ptrt", "ftrt"};  // the beginning of a plan

void Put(uint32_t tag, std::string_view bytes, std::string* out) { wire::AppendBytes(NumberOf(tag), bytes, out); }
void Put(uint32_t tag, int64_t number, std::string* out) { wire::AppendNumber(NumberOf(tag), number, out); }

// Returns ONNX's TensorProto.DataType, or 0 if TensorRT has no such type.
int64_t ElementOf(int32_t datatype) {
  switch (datatype) {
    case INFERD_TYPE_FP32: return 1;
    case INFERD_TYPE_UINT8: return 2;
    case INFERD_TYPE_INT8: return 3;
    case INFERD_TYPE_INT32: return 6;
    case INFERD_TYPE_INT64: return 7;
    case INFERD_TYPE_BOOL: return 9;
    case INFERD_TYPE_FP16: return 10;
    case INFERD_TYPE_BF16: return 16;
    default: return 0;
  }
}

base::Result<std::string> ValueInfo(const inferd_tensor_spec& tensor, bool batches) {
  const int64_t element = ElementOf(tensor.datatype);
  if (element == 0) {
    return std::unexpected(base::InvalidArgument("tensor '" + std::string(ToView(tensor.name)) +
                                                 "' has a data_type that TensorRT has not"));
  }
  std::string shape;
  for (size_t i = 0; i < tensor.rank; ++i) {
    std::string dim;
    if (tensor.shape[i] >= 0) Put(kDimValue, tensor.shape[i], &dim);
    // Named, so that inputs and outputs have the same size.
    if (i == 0 && batches && tensor.shape[i] < 0) Put(kDimName, "batch", &dim);
    Put(kShapeDim, dim, &shape);
  }
  std::string type;
  Put(kTensorElement, element, &type);
  Put(kTensorShape, shape, &type);
  std::string tensor_type;
  Put(kTypeTensor, type, &tensor_type);
  std::string info;
  Put(kValueName, ToView(tensor.name), &info);
  Put(kValueType, tensor_type, &info);
  return info;
}

void PutInt(std::string_view name, int64_t value, std::string* node) {
  std::string attribute;
  Put(kAttributeName, name, &attribute);
  Put(kAttributeNumber, value, &attribute);
  Put(kAttributeKind, kAttributeKindInt, &attribute);
  Put(kNodeAttribute, attribute, node);
}

void PutText(std::string_view name, std::string_view value, std::string* node) {
  std::string attribute;
  attribute.reserve(value.size() + 64);
  Put(kAttributeName, name, &attribute);
  Put(kAttributeString, value, &attribute);
  Put(kAttributeKind, kAttributeKindString, &attribute);
  Put(kNodeAttribute, attribute, node);
}

void PutOpset(std::string_view domain, int64_t version, std::string* model) {
  std::string opset;
  Put(kOpsetDomain, domain, &opset);
  Put(kOpsetVersion, version, &opset);
  Put(kModelOpset, opset, model);
}

}  // namespace

bool IsTensorRtPlan(const inferd_load& load, const std::filesystem::path& file) {
  return ToView(load.backend) == "tensorrt" || file.extension() == ".plan";
}

base::Result<std::string> WrapPlan(std::string_view plan, const inferd_signature& declared) {
  if (declared.input_count == 0 || declared.output_count == 0) {
    return std::unexpected(
        base::InvalidArgument("a TensorRT plan does not say what it takes and gives: config.pbtxt must list every "
                              "input and output of it, with "
                              "name, data_type and dims"));
  }
  std::string node;
  node.reserve(plan.size() + 4096);
  std::string values;
  for (size_t i = 0; i < declared.input_count; ++i) {
    const inferd_tensor_spec& tensor = *declared.inputs[i];
    Put(kNodeInput, ToView(tensor.name), &node);
    INFERD_ASSIGN_OR_RETURN(const std::string info, ValueInfo(tensor, true));
    Put(kGraphInput, info, &values);
  }
  for (size_t i = 0; i < declared.output_count; ++i) {
    const inferd_tensor_spec& tensor = *declared.outputs[i];
    Put(kNodeOutput, ToView(tensor.name), &node);
    INFERD_ASSIGN_OR_RETURN(const std::string info, ValueInfo(tensor, true));
    Put(kGraphOutput, info, &values);
  }
  Put(kNodeName, "plan", &node);
  Put(kNodeType, "EPContext", &node);
  PutInt("main_context", 1, &node);
  PutInt("embed_mode", 1, &node);
  PutText("ep_cache_context", plan, &node);
  PutText("source", kProvider, &node);
  Put(kNodeDomain, kMicrosoft, &node);

  std::string graph;
  graph.reserve(node.size() + values.size() + 64);
  Put(kGraphNode, node, &graph);
  std::string().swap(node);
  Put(kGraphName, "plan", &graph);
  graph += values;

  std::string model;
  model.reserve(graph.size() + 256);
  Put(kModelIrVersion, kIrVersion, &model);
  Put(kModelGraph, graph, &model);
  PutOpset("", kOpset, &model);
  PutOpset(kMicrosoft, kMicrosoftOpset, &model);
  return model;
}

base::Result<std::string> ReadPlan(const inferd_load& load, const std::filesystem::path& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) return std::unexpected(base::NotFound("model file '" + path.string() + "' does not exist"));
  if (size > kPlanBytesMax) {
    return std::unexpected(base::ResourceExhausted("TensorRT plan '" + path.string() + "' has more than " +
                                                   std::to_string(kPlanBytesMax) + " bytes"));
  }
  std::ifstream file(path, std::ios::binary);
  std::string plan(static_cast<size_t>(size), '\0');
  if (!file.read(plan.data(), static_cast<std::streamsize>(size))) {
    return std::unexpected(base::InvalidArgument("model file '" + path.string() + "' cannot be read"));
  }
  const bool marked = std::ranges::any_of(kMarks, [&plan](std::string_view mark) { return plan.starts_with(mark); });
  if (!marked) return std::unexpected(base::InvalidArgument("model file '" + path.string() + "' is no TensorRT plan"));
  return WrapPlan(plan, *load.declared);
}

}  // namespace inferd::onnxruntime
