#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "engines/rewrite/onnx/onnx_writer.h"

namespace inferd::mxnet {

using onnx::Element;

// An ONNX model is one protobuf message, which has to be below 2 GiB.
inline constexpr uint64_t kModelBytesMax = 2'000'000'000;

struct File {
  std::string_view name;  // for errors
  std::string_view bytes;
};

// What a configuration says of an input.
struct Input {
  std::string_view name;
  Element element = Element::kFloat;
  std::vector<int64_t> shape;  // whole; -1: any size
};

// A symbol and its parameters as one ONNX model of opset 17. A variable of the symbol that is no parameter is an input,
// unless only training reads it: a label. Its datatype and shape are those of `inputs`, or else its attributes'
// `__dtype__` and `__shape__`, with a first dimension of any size. An input goes before a parameter of its name.
// Outputs are the symbol's heads, by MXNet's names: "softmax_output".
//
// INVALID_ARGUMENT: a file is malformed, an operator or one of its arguments is not known or cannot be the same in ONNX
// (the text has the node's name), or an input's shape is not known. RESOURCE_EXHAUSTED: the model has more than
// `bytes_max` bytes. Whatever the bytes are, that is all that comes of them. Thread-safe.
base::Result<std::string> Rewrite(const File& symbol, const File& params, std::span<const Input> inputs,
                                  uint64_t bytes_max = kModelBytesMax);

// The names of the operators that are known.
std::vector<std::string_view> KnownOperators();

}  // namespace inferd::mxnet
