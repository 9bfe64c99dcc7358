#include "bench/harness/onnx_file.h"

#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

namespace inferd::bench {

namespace {

// A serialized protobuf message (https://protobuf.dev/programming-guides/encoding/). Field numbers are those of
// onnx.proto.
class Message {
 public:
  Message& Add(int field, int64_t value) {
    Varint(static_cast<uint64_t>(field) << 3);
    Varint(static_cast<uint64_t>(value));
    return *this;
  }
  Message& Add(int field, std::string_view bytes) {
    Varint(static_cast<uint64_t>(field) << 3 | 2);
    Varint(bytes.size());
    bytes_ += bytes;
    return *this;
  }
  Message& Add(int field, const Message& message) { return Add(field, std::string_view(message.bytes_)); }
  const std::string& bytes() const { return bytes_; }

 private:
  void Varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

constexpr int64_t kFloat = 1;  // TensorProto.DataType

Message Tensor(const std::string& name, const std::vector<int64_t>& dims) {
  Message tensor;
  size_t count = 1;
  for (const int64_t dim : dims) {
    tensor.Add(1, dim);
    count *= static_cast<size_t>(dim);
  }
  std::string raw(count * sizeof(float), '\0');
  // Small weights of both signs, so that values do not grow from layer to layer.
  const float scale = 1.0F / static_cast<float>(dims.front());
  uint32_t state = 1;
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525 + 1013904223;
    const float value = scale * (static_cast<float>(state >> 8) / static_cast<float>(1 << 23) - 1);
    std::memcpy(raw.data() + i * sizeof value, &value, sizeof value);
  }
  return tensor.Add(2, kFloat).Add(8, name).Add(9, raw);
}

Message Node(const char* op, const std::vector<std::string>& inputs, const std::string& output) {
  Message node;
  for (const std::string& input : inputs) node.Add(1, input);
  return node.Add(2, output).Add(4, std::string_view(op));
}

// ValueInfoProto: FP32 [batch, width].
Message Value(const std::string& name, int64_t width) {
  Message shape;
  shape.Add(1, Message().Add(2, std::string_view("batch"))).Add(1, Message().Add(1, width));
  return Message().Add(1, name).Add(2, Message().Add(1, Message().Add(1, kFloat).Add(2, shape)));
}

}  // namespace

base::Status WriteDenseModel(const std::filesystem::path& file, const std::vector<int64_t>& widths) {
  if (widths.size() < 2) return base::InvalidArgument("a dense model has at least two widths");
  Message graph;
  std::string input = "x";
  for (size_t layer = 1; layer < widths.size(); ++layer) {
    const std::string number = std::to_string(layer);
    const bool last = layer + 1 == widths.size();
    const std::string output = last ? "y" : "dense" + number;
    graph.Add(1, Node("Gemm", {input, "weights" + number, "bias" + number}, output));
    input = output;
    if (last) break;
    input = "active" + number;
    graph.Add(1, Node("Relu", {output}, input));
  }
  graph.Add(2, std::string_view("dense"));
  for (size_t layer = 1; layer < widths.size(); ++layer) {
    const std::string number = std::to_string(layer);
    graph.Add(5, Tensor("weights" + number, {widths[layer - 1], widths[layer]}));
    graph.Add(5, Tensor("bias" + number, {widths[layer]}));
  }
  graph.Add(11, Value("x", widths.front())).Add(12, Value("y", widths.back()));
  Message model;
  model.Add(1, 8).Add(2, std::string_view("inferd bench")).Add(7, graph).Add(8, Message().Add(2, 17));
  std::ofstream out(file, std::ios::binary);
  out << model.bytes();
  out.close();
  return out ? base::OkStatus() : base::Internal("cannot write '" + file.string() + "'");
}

}  // namespace inferd::bench
