#include "engines/onnxruntime/onnx_signature.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "data/tensor/data_type.h"
#include "engines/onnxruntime/graph/unknown_ranks.h"
#include "engines/onnxruntime/library/element_type.h"

namespace inferd::onnxruntime {

namespace {

using NameFunction = OrtStatus*(ORT_API_CALL*)(const OrtSession*, size_t, OrtAllocator*, char**) noexcept;
using TypeFunction = OrtStatus*(ORT_API_CALL*)(const OrtSession*, size_t, OrtTypeInfo**) noexcept;

// The side of a session on which a tensor is, and the library's functions for it.
struct Side {
  std::string_view name;
  NameFunction name_of;
  TypeFunction type_of;
};

// Returns the element type of a sequence, or ONNX_TYPE_UNKNOWN if `info` is not a sequence.
ONNXType ElementOfSequence(const OrtTypeInfo* info) {
  const OrtSequenceTypeInfo* sequence = nullptr;
  OrtTypeInfo* element = nullptr;
  ONNXType type = ONNX_TYPE_UNKNOWN;
  const bool known = ToStatus(Ort().CastTypeInfoToSequenceTypeInfo(info, &sequence)).ok() && sequence != nullptr &&
                     ToStatus(Ort().GetSequenceElementType(sequence, &element)).ok();
  const TypeInfoOwner owner(element);
  if (known && !ToStatus(Ort().GetOnnxTypeFromTypeInfo(element, &type)).ok()) type = ONNX_TYPE_UNKNOWN;
  return type;
}

// Describes a value that is not a dense tensor, with advice.
std::string WhyNotServed(const Side& side, ONNXType type, const OrtTypeInfo* info) {
  const bool output = side.name == "output";
  const bool of_maps = type == ONNX_TYPE_SEQUENCE && ElementOfSequence(info) == ONNX_TYPE_MAP;
  const std::string only = ", and only dense tensors can be served: ";
  if (of_maps || type == ONNX_TYPE_MAP) {
    const std::string what = of_maps ? "a sequence of maps" : "a map";
    return what + only +
           (output ? "export the model with tensors as outputs (scikit-learn and LightGBM: the option zipmap=False)"
                   : "export the part of the model behind the operator that takes it (DictVectorizer, CastMap)");
  }
  switch (type) {
    case ONNX_TYPE_SEQUENCE:
      return "a sequence of tensors" + only +
             (output ? "export the model with an output per tensor (SequenceAt), or with all in one "
                       "(ConcatFromSequence)"
                     : "export the model with an input per tensor");
    case ONNX_TYPE_SPARSETENSOR: return "a sparse tensor" + only + "export the model with a dense one";
    default: return "of an unknown kind" + only + "export the model with tensors alone";
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

// Returns the tensor type inside `*info`: of a tensor, or of an optional one, which then replaces `*info`.
base::Result<const OrtTensorTypeAndShapeInfo*> TensorInfo(TypeInfoOwner* info, const Side& side,
                                                          std::string_view name) {
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
    return std::unexpected(base::InvalidArgument(std::string(side.name) + " '" + std::string(name) + "' is " +
                                                 WhyNotServed(side, type, info->get())));
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
    // 0 comes from an example without elements.
    if (tensor->shape[i] <= 0) tensor->shape[i] = -1;
    tensor->symbols.emplace_back(symbols[i] == nullptr ? "" : symbols[i]);
  }
  return base::OkStatus();
}

base::Status ReadTensor(const OrtSession* session, size_t i, const Side& side, std::vector<OnnxTensor>* list) {
  OnnxTensor tensor;
  INFERD_ASSIGN_OR_RETURN(tensor.name, ReadName(session, i, side.name_of));
  OrtTypeInfo* type_info = nullptr;
  INFERD_RETURN_IF_ERROR(ToStatus(side.type_of(session, i, &type_info)));
  TypeInfoOwner type_owner(type_info);
  INFERD_ASSIGN_OR_RETURN(const OrtTensorTypeAndShapeInfo* info, TensorInfo(&type_owner, side, tensor.name));
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().GetTensorElementType(info, &tensor.element_type)));
  tensor.datatype = ToDatatype(tensor.element_type);
  if (tensor.datatype == INFERD_TYPE_INVALID) {
    return base::InvalidArgument("tensor '" + tensor.name + "' has elements of type " +
                                 std::string(ElementTypeName(tensor.element_type)) +
                                 ", which no protocol carries: export the model with a Cast of it, to INT8 or FLOAT");
  }
  tensor.element_size = tensor::ElementSize(static_cast<tensor::DataType>(tensor.datatype));
  INFERD_RETURN_IF_ERROR(ReadShape(info, &tensor));
  list->push_back(std::move(tensor));
  return base::OkStatus();
}

}  // namespace

base::Result<OnnxSignature> OnnxSignature::Read(const OrtSession* session, const std::filesystem::path& file,
                                                OutputLabels labels, bool on_gpus, int compute_threads) {
  OnnxSignature signature;
  size_t inputs = 0;
  size_t defaults = 0;
  size_t outputs = 0;
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().SessionGetInputCount(session, &inputs)));
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().SessionGetOverridableInitializerCount(session, &defaults)));
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().SessionGetOutputCount(session, &outputs)));
  const OrtApi& api = Ort();
  const Side input{"input", api.SessionGetInputName, api.SessionGetInputTypeInfo};
  const Side with_default{"input", api.SessionGetOverridableInitializerName,
                          api.SessionGetOverridableInitializerTypeInfo};
  const Side output{"output", api.SessionGetOutputName, api.SessionGetOutputTypeInfo};
  for (size_t i = 0; i < inputs; ++i) INFERD_RETURN_IF_ERROR(ReadTensor(session, i, input, &signature.inputs_));
  for (size_t i = 0; i < defaults; ++i) {
    INFERD_RETURN_IF_ERROR(ReadTensor(session, i, with_default, &signature.inputs_));
    signature.inputs_.back().optional = true;
  }
  for (size_t i = 0; i < outputs; ++i) {
    INFERD_RETURN_IF_ERROR(ReadTensor(session, i, output, &signature.outputs_));
    OnnxTensor& tensor = signature.outputs_.back();
    if (const auto it = labels.find(tensor.name); it != labels.end()) tensor.labels = std::move(it->second);
    const auto same = std::ranges::find(signature.inputs_, tensor.name, &OnnxTensor::name);
    if (same != signature.inputs_.end()) tensor.same_input = static_cast<int>(same - signature.inputs_.begin());
  }
  if (!file.empty()) signature.MarkUnknownRanks(file);
  signature.FillAbi(on_gpus, compute_threads);
  return signature;
}

void OnnxSignature::MarkUnknownRanks(const std::filesystem::path& file) {
  const auto may_be_unknown = [](const OnnxTensor& tensor) { return tensor.shape.empty(); };
  if (std::ranges::none_of(inputs_, may_be_unknown) && std::ranges::none_of(outputs_, may_be_unknown)) return;
  const std::set<std::string> unknown = FindUnknownRanks(file);
  for (auto* const tensors : {&inputs_, &outputs_}) {
    for (OnnxTensor& tensor : *tensors) tensor.known_rank = !tensor.shape.empty() || !unknown.contains(tensor.name);
  }
}

void OnnxSignature::FillAbi(bool on_gpus, int compute_threads) {
  const auto describe = [on_gpus](const OnnxTensor& tensor) {
    return kit::TensorDescription{.name = tensor.name,
                                  .datatype = tensor.datatype,
                                  .shape = tensor.shape,
                                  .optional = tensor.optional,
                                  .alignment = tensor.element_size,
                                  .any_shape = !tensor.known_rank,
                                  .unknown_rank = !tensor.known_rank,
                                  .labels = tensor.labels,
                                  .dimension_names = tensor.symbols,
                                  .memory_kinds = on_gpus ? 1U << INFERD_MEMORY_GPU : 0,
                                  .shape_is_hint = true};
  };
  for (const OnnxTensor& input : inputs_) abi_.AddInput(describe(input));
  for (const OnnxTensor& output : outputs_) abi_.AddOutput(describe(output));
  abi_.Finish(compute_threads);
}

}  // namespace inferd::onnxruntime
