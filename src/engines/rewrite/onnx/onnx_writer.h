#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace inferd::onnx {

// ONNX's TensorProto.DataType, as far as files that are rewritten need it.
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

// Bytes of one; 0: of no fixed size.
size_t SizeOf(Element element);

// One node's attributes, as they are written.
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

// Writes an ONNX model front to back; nodes come in the order in which they run. Not thread-safe.
class OnnxWriter final {
 public:
  // `opset`: of the default domain, which all operators are of.
  explicit OnnxWriter(int64_t opset) : opset_(opset) {}

  void Input(std::string_view name, Element element, std::span<const int64_t> shape);  // -1: any size
  void Output(std::string_view name);
  // `raw` has the elements as they lie in memory.
  void Constant(std::string_view name, Element element, std::span<const int64_t> shape, std::string_view raw);
  // An empty input is one that is left out.
  void Node(std::string_view type, std::span<const std::string> inputs, std::span<const std::string> outputs,
            const Attributes& attributes);

  // Bytes so far.
  size_t size() const { return graph_.size(); }

  // The ModelProto. Nothing may be written afterwards.
  std::string Take(std::string_view graph_name);

 private:
  const int64_t opset_;
  std::string graph_;
};

}  // namespace inferd::onnx
