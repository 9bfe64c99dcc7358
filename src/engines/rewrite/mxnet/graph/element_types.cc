#include "engines/rewrite/mxnet/graph/element_types.h"

namespace inferd::mxnet {

namespace {

struct Row {
  int64_t flag;
  std::string_view name;
  Element element;
};

constexpr Row kElementRows[] = {
    {0, "float32", Element::kFloat}, {1, "float64", Element::kDouble}, {2, "float16", Element::kFloat16},
    {3, "uint8", Element::kUint8},   {4, "int32", Element::kInt32},    {5, "int8", Element::kInt8},
    {6, "int64", Element::kInt64},   {7, "bool", Element::kBool},      {8, "int16", Element::kInt16},
    {9, "uint16", Element::kUint16},
};

}  // namespace

Element ElementOfFlag(int64_t flag) {
  for (const Row& row : kElementRows) {
    if (row.flag == flag) return row.element;
  }
  return Element::kUndefined;
}

Element ElementOfName(std::string_view name) {
  for (const Row& row : kElementRows) {
    if (row.name == name) return row.element;
  }
  return Element::kUndefined;
}

bool IsFloating(Element element) {
  return element == Element::kFloat || element == Element::kDouble || element == Element::kFloat16;
}

onnx::Attributes CastTo(Element element) { return onnx::Attributes().Int("to", static_cast<int64_t>(element)); }

}  // namespace inferd::mxnet
