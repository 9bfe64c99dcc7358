#include "engines/onnxruntime/onnx_signature.h"

#include <string_view>

#include "engines/onnxruntime/element_type.h"
#include "tensor/data_type.h"

namespace inferd::onnxruntime {

namespace {

using NameFunction = OrtStatus*(ORT_API_CALL*)(const OrtSession*, size_t, OrtAllocator*, char**) noexcept;
using TypeFunction = OrtStatus*(ORT_API_CALL*)(const OrtSession*, size_t, OrtTypeInfo**) noexcept;

std::string_view KindName(ONNXType type) {
  switch (type) {
    case ONNX_TYPE_SEQUENCE: return "a sequence";
    case ONNX_TYPE_MAP: return "a map";
    case ONNX_TYPE_SPARSETENSOR: return "a sparse tensor";
    default: return "of an unknown kind";
  }
}

base::Result<std::string> ReadName(const OrtSession* session, size_t i, NameFunction function) {
  OrtAllocator* allocator = nullptr;
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().GetAllocatorWithDefaultOptions(&allocator)));
  char* text = nullptr;
  INFERD_RETURN_IF_ERROR(ToStatus(function(session, i, allocator, &text)));
  std::string name(text);
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().AllocatorFree(allocator, text)));
  return name;
}

// The tensor type inside `*info`: of a tensor, or of an optional one, which then takes the place of `*info`.
base::Result<const OrtTensorTypeAndShapeInfo*> TensorInfo(TypeInfoOwner* info, std::string_view name) {
  ONNXType type = ONNX_TYPE_UNKNOWN;
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().GetOnnxTypeFromTypeInfo(info->get(), &type)));
  if (type == ONNX_TYPE_OPTIONAL) {
    const OrtOptionalTypeInfo* optional = nullptr;
    INFERD_RETURN_IF_ERROR(ToStatus(Ort().CastTypeInfoToOptionalTypeInfo(info->get(), &optional)));
    OrtTypeInfo* contained = nullptr;
    INFERD_RETURN_IF_ERROR(ToStatus(Ort().GetOptionalContainedTypeInfo(optional, &contained)));
    info->reset(contained);
    INFERD_RETURN_IF_ERROR(ToStatus(Ort().GetOnnxTypeFromTypeInfo(contained, &type)));
  }
  if (type != ONNX_TYPE_TENSOR) {
    return std::unexpected(base::InvalidArgument(
        "tensor '" + std::string(name) + "' is " + std::string(KindName(type)) +
        "; only dense tensors can be served (for models from scikit-learn, convert with the option zipmap=False)"));
  }
  const OrtTensorTypeAndShapeInfo* tensor = nullptr;
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().CastTypeInfoToTensorInfo(info->get(), &tensor)));
  return tensor;
}

base::Status ReadShape(const OrtTensorTypeAndShapeInfo* info, OnnxTensor* tensor) {
  size_t rank = 0;
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().GetDimensionsCount(info, &rank)));
  tensor->shape.resize(rank);
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().GetDimensions(info, tensor->shape.data(), rank)));
  std::vector<const char*> symbols(rank);
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().GetSymbolicDimensions(info, symbols.data(), rank)));
  for (size_t i = 0; i < rank; ++i) {
    if (tensor->shape[i] < 0) tensor->shape[i] = -1;
    tensor->symbols.emplace_back(symbols[i] == nullptr ? "" : symbols[i]);
  }
  return base::OkStatus();
}

base::Status ReadTensor(const OrtSession* session, size_t i, NameFunction name, TypeFunction type,
                        std::vector<OnnxTensor>* list) {
  OnnxTensor tensor;
  INFERD_ASSIGN_OR_RETURN(tensor.name, ReadName(session, i, name));
  OrtTypeInfo* type_info = nullptr;
  INFERD_RETURN_IF_ERROR(ToStatus(type(session, i, &type_info)));
  TypeInfoOwner type_owner(type_info);
  INFERD_ASSIGN_OR_RETURN(const OrtTensorTypeAndShapeInfo* info, TensorInfo(&type_owner, tensor.name));
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().GetTensorElementType(info, &tensor.element_type)));
  tensor.datatype = ToDatatype(tensor.element_type);
  if (tensor.datatype == INFERD_TYPE_INVALID) {
    return base::InvalidArgument("tensor '" + tensor.name + "' has elements of type " +
                                 std::string(ElementTypeName(tensor.element_type)) + ", which no protocol carries");
  }
  tensor.element_size = tensor::ElementSize(static_cast<tensor::DataType>(tensor.datatype));
  INFERD_RETURN_IF_ERROR(ReadShape(info, &tensor));
  list->push_back(std::move(tensor));
  return base::OkStatus();
}

}  // namespace

base::Result<OnnxSignature> OnnxSignature::Read(const OrtSession* session, int compute_threads) {
  OnnxSignature signature;
  size_t inputs = 0;
  size_t defaults = 0;
  size_t outputs = 0;
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().SessionGetInputCount(session, &inputs)));
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().SessionGetOverridableInitializerCount(session, &defaults)));
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().SessionGetOutputCount(session, &outputs)));
  const OrtApi& api = Ort();
  for (size_t i = 0; i < inputs; ++i) {
    INFERD_RETURN_IF_ERROR(
        ReadTensor(session, i, api.SessionGetInputName, api.SessionGetInputTypeInfo, &signature.inputs_));
  }
  for (size_t i = 0; i < defaults; ++i) {
    INFERD_RETURN_IF_ERROR(ReadTensor(session, i, api.SessionGetOverridableInitializerName,
                                      api.SessionGetOverridableInitializerTypeInfo, &signature.inputs_));
    signature.inputs_.back().optional = true;
  }
  for (size_t i = 0; i < outputs; ++i) {
    INFERD_RETURN_IF_ERROR(
        ReadTensor(session, i, api.SessionGetOutputName, api.SessionGetOutputTypeInfo, &signature.outputs_));
  }
  signature.FillAbi(compute_threads);
  return signature;
}

void OnnxSignature::FillAbi(int compute_threads) {
  const auto describe = [](const OnnxTensor& tensor) {
    return enginekit::TensorDescription{.name = tensor.name,
                                        .datatype = tensor.datatype,
                                        .shape = tensor.shape,
                                        .optional = tensor.optional,
                                        .alignment = tensor.element_size};
  };
  for (const OnnxTensor& input : inputs_) abi_.AddInput(describe(input));
  for (const OnnxTensor& output : outputs_) abi_.AddOutput(describe(output));
  abi_.Finish(compute_threads);
}

}  // namespace inferd::onnxruntime
