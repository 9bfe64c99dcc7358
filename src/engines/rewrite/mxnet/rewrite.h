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

// An ONNX model is one protobuf message, which must have less than 2 GiB.
inline constexpr uint64_t kModelBytesMax = 2'000'000'000;

struct File {
  std::string_view name;  // for errors
  std::string_view bytes;
};

// A configuration's statements about an input.
struct Input {
  std::string_view name;
  Element element = Element::kFloat;
  std::vector<int64_t> shape;  // complete; -1 for any size
};

// Returns a symbol and its parameters as one ONNX model of opset 17. A variable of the symbol that is not a parameter
// is an input, unless only training reads it (a label). Its datatype and shape are those of `inputs`, or else its
// attributes' `__dtype__` and `__shape__`, with a first dimension of any size. An input takes precedence over a
// parameter of its name. Outputs are the symbol's heads, with MXNet's names: "softmax_output".
//
// INVALID_ARGUMENT, with the node's name, if a file is malformed, an operator or one of its arguments is unknown or
// cannot be expressed in ONNX, or an input's shape is unknown. RESOURCE_EXHAUSTED if the model has more than
// `bytes_max` bytes. No content of the files causes any other failure. Thread-safe.
base::Result<std::string> Rewrite(const File& symbol, const File& params, std::span<const Input> inputs,
                                  uint64_t bytes_max = kModelBytesMax);

// Returns the names of the known operators.
std::vector<std::string_view> KnownOperators();

}  // namespace inferd::mxnet
