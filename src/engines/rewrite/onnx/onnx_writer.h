#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace inferd::onnx {

// ONNX's TensorProto.DataType, as far as rewritten files need it.
enum class Element : int32_t {
  kUndefined = 0,
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
};

// Returns the bytes of one element, or 0 if the size is not fixed.
size_t SizeOf(Element element);

// One node's attributes in serialized form.
class Attributes final {
 public:
  Attributes& Int(std::string_view name, int64_t value);
  Attributes& Ints(std::string_view name, std::span<const int64_t> values);
  Attributes& Float(std::string_view name, float value);
  Attributes& Text(std::string_view name, std::string_view value);

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;  // AttributeProto fields of a NodeProto
};

// Writes an ONNX model front to back. Nodes must come in the order of execution. Not thread-safe.
class OnnxWriter final {
 public:
  // `opset` is that of the default domain, to which all operators belong.
  explicit OnnxWriter(int64_t opset) : opset_(opset) {}

  void Input(std::string_view name, Element element, std::span<const int64_t> shape);  // -1 for any size
  void Output(std::string_view name);
  // `raw` has the elements as in memory.
  void Constant(std::string_view name, Element element, std::span<const int64_t> shape, std::string_view raw);
  // An empty input is left out.
  void Node(std::string_view type, std::span<const std::string> inputs, std::span<const std::string> outputs,
            const Attributes& attributes);

  // Returns the bytes written so far.
  size_t size() const { return graph_.size(); }

  // Returns the ModelProto. Nothing may be written afterwards.
  std::string Take(std::string_view graph_name);

 private:
  const int64_t opset_;
  std::string graph_;
};

}  // namespace inferd::onnx
