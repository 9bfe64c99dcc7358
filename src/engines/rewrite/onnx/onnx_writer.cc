#include "engines/rewrite/onnx/onnx_writer.h"

#include "data/wire/append.h"

namespace inferd::onnx {

namespace {

// Fields of onnx.proto, by their messages.
constexpr uint32_t kModelIrVersion = 1;
constexpr uint32_t kModelProducer = 2;
constexpr uint32_t kModelGraph = 7;
constexpr uint32_t kModelOpset = 8;
constexpr uint32_t kOpsetDomain = 1;
constexpr uint32_t kOpsetVersion = 2;
constexpr uint32_t kGraphNode = 1;
constexpr uint32_t kGraphName = 2;
constexpr uint32_t kGraphInitializer = 5;
constexpr uint32_t kGraphInput = 11;
constexpr uint32_t kGraphOutput = 12;
constexpr uint32_t kNodeInput = 1;
constexpr uint32_t kNodeOutput = 2;
constexpr uint32_t kNodeType = 4;
constexpr uint32_t kNodeAttribute = 5;
constexpr uint32_t kAttributeName = 1;
constexpr uint32_t kAttributeFloat = 2;
constexpr uint32_t kAttributeInt = 3;
constexpr uint32_t kAttributeText = 4;
constexpr uint32_t kAttributeInts = 8;
constexpr uint32_t kAttributeKind = 20;
constexpr int64_t kKindFloat = 1;
constexpr int64_t kKindInt = 2;
constexpr int64_t kKindText = 3;
constexpr int64_t kKindInts = 7;
constexpr uint32_t kTensorDims = 1;
constexpr uint32_t kTensorElement = 2;
constexpr uint32_t kTensorName = 8;
constexpr uint32_t kTensorRaw = 9;
constexpr uint32_t kValueName = 1;
constexpr uint32_t kValueType = 2;
constexpr uint32_t kTypeTensor = 1;
constexpr uint32_t kTypeElement = 1;
constexpr uint32_t kTypeShape = 2;
constexpr uint32_t kShapeDim = 1;
constexpr uint32_t kDimValue = 1;

constexpr int64_t kIrVersion = 8;  // of ONNX 1.10 to 1.12, which have every opset up to 17

std::string Attribute(std::string_view name, int64_t kind) {
  std::string attribute;
  wire::AppendBytes(kAttributeName, name, &attribute);
  wire::AppendNumber(kAttributeKind, kind, &attribute);
  return attribute;
}

}  // namespace

size_t SizeOf(Element element) {
  switch (element) {
    case Element::kUint8:
    case Element::kInt8:
    case Element::kBool: return 1;
    case Element::kUint16:
    case Element::kInt16:
    case Element::kFloat16: return 2;
    case Element::kFloat:
    case Element::kInt32: return 4;
    case Element::kInt64:
    case Element::kDouble: return 8;
    case Element::kUndefined:
    case Element::kString: break;
  }
  return 0;
}

Attributes& Attributes::Int(std::string_view name, int64_t value) {
  std::string attribute = Attribute(name, kKindInt);
  wire::AppendNumber(kAttributeInt, value, &attribute);
  wire::AppendBytes(kNodeAttribute, attribute, &bytes_);
  return *this;
}

Attributes& Attributes::Ints(std::string_view name, std::span<const int64_t> values) {
  std::string attribute = Attribute(name, kKindInts);
  for (const int64_t value : values) wire::AppendNumber(kAttributeInts, value, &attribute);
  wire::AppendBytes(kNodeAttribute, attribute, &bytes_);
  return *this;
}

Attributes& Attributes::Float(std::string_view name, float value) {
  std::string attribute = Attribute(name, kKindFloat);
  wire::AppendFloat(kAttributeFloat, value, &attribute);
  wire::AppendBytes(kNodeAttribute, attribute, &bytes_);
  return *this;
}

Attributes& Attributes::Text(std::string_view name, std::string_view value) {
  std::string attribute = Attribute(name, kKindText);
  wire::AppendBytes(kAttributeText, value, &attribute);
  wire::AppendBytes(kNodeAttribute, attribute, &bytes_);
  return *this;
}

void OnnxWriter::Input(std::string_view name, Element element, std::span<const int64_t> shape) {
  std::string dims;
  for (const int64_t size : shape) {
    std::string dim;
    if (size >= 0) wire::AppendNumber(kDimValue, size, &dim);
    wire::AppendBytes(kShapeDim, dim, &dims);
  }
  std::string tensor;
  wire::AppendNumber(kTypeElement, static_cast<int64_t>(element), &tensor);
  wire::AppendBytes(kTypeShape, dims, &tensor);
  std::string type;
  wire::AppendBytes(kTypeTensor, tensor, &type);
  std::string info;
  wire::AppendBytes(kValueName, name, &info);
  wire::AppendBytes(kValueType, type, &info);
  wire::AppendBytes(kGraphInput, info, &graph_);
}

void OnnxWriter::Output(std::string_view name) {
  std::string info;
  wire::AppendBytes(kValueName, name, &info);
  wire::AppendBytes(kGraphOutput, info, &graph_);
}

void OnnxWriter::Constant(std::string_view name, Element element, std::span<const int64_t> shape,
                          std::string_view raw) {
  // Weights are large: they are written directly to their final place.
  std::string head;
  for (const int64_t size : shape) wire::AppendNumber(kTensorDims, size, &head);
  wire::AppendNumber(kTensorElement, static_cast<int64_t>(element), &head);
  wire::AppendBytes(kTensorName, name, &head);
  wire::AppendVarint(wire::Tag(kTensorRaw, wire::Type::kBytes), &head);
  wire::AppendVarint(raw.size(), &head);
  wire::AppendVarint(wire::Tag(kGraphInitializer, wire::Type::kBytes), &graph_);
  wire::AppendVarint(head.size() + raw.size(), &graph_);
  graph_.append(head).append(raw);
}

void OnnxWriter::Node(std::string_view type, std::span<const std::string> inputs, std::span<const std::string> outputs,
                      const Attributes& attributes) {
  std::string node;
  for (const std::string& input : inputs) wire::AppendBytes(kNodeInput, input, &node);
  for (const std::string& output : outputs) wire::AppendBytes(kNodeOutput, output, &node);
  wire::AppendBytes(kNodeType, type, &node);
  node += attributes.bytes();
  wire::AppendBytes(kGraphNode, node, &graph_);
}

std::string OnnxWriter::Take(std::string_view graph_name) {
  wire::AppendBytes(kGraphName, graph_name, &graph_);
  std::string model;
  model.reserve(graph_.size() + 64);
  wire::AppendNumber(kModelIrVersion, kIrVersion, &model);
  wire::AppendBytes(kModelProducer, "inferd", &model);
  std::string opset;
  wire::AppendBytes(kOpsetDomain, "", &opset);
  wire::AppendNumber(kOpsetVersion, opset_, &opset);
  wire::AppendBytes(kModelOpset, opset, &model);
  wire::AppendBytes(kModelGraph, graph_, &model);
  graph_.clear();
  return model;
}

}  // namespace inferd::onnx
