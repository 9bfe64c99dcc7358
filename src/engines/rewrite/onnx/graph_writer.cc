#include "engines/rewrite/onnx/graph_writer.h"

namespace inferd::onnx {

std::string GraphWriter::NewName(std::string_view like) {
  size_t& number = numbers_[std::string(like)];
  for (;;) {
    std::string name = std::string(like) + "#" + std::to_string(++number);
    if (names_.insert(name).second) return name;
  }
}

std::string GraphWriter::Node(std::string_view type, const std::vector<std::string>& inputs,
                              const Attributes& attributes) {
  const std::string outputs[] = {NewName(type)};
  writer_.Node(type, inputs, outputs, attributes);
  return outputs[0];
}

void GraphWriter::Output(std::string_view name, const std::string& tensor) {
  const std::string inputs[] = {tensor};
  const std::string outputs[] = {std::string(name)};
  writer_.Node("Identity", inputs, outputs, {});
  writer_.Output(name);
}

std::string GraphWriter::Ints(std::span<const int64_t> values) {
  std::string name = NewName("ints");
  const int64_t shape[] = {static_cast<int64_t>(values.size())};
  writer_.Constant(name, Element::kInt64, shape, {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  return name;
}

std::string GraphWriter::Scalar(float value) {
  std::string name = NewName("number");
  writer_.Constant(name, Element::kFloat, {}, {reinterpret_cast<const char*>(&value), sizeof(value)});
  return name;
}

}  // namespace inferd::onnx
