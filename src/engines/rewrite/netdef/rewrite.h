#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "engines/rewrite/onnx/onnx_writer.h"

namespace inferd::netdef {

using onnx::Element;

// An ONNX model is one protobuf message, which must have less than 2 GiB.
inline constexpr uint64_t kModelBytesMax = 2'000'000'000;

struct NetFile {
  std::string_view name;  // for errors
  std::string_view bytes;
};

// A configuration's statements about an input, which nets do not make.
struct NetInput {
  std::string_view name;
  Element element = Element::kFloat;
  std::vector<int64_t> shape;  // complete; -1 for any size
};

// Returns the nets of a Caffe2 model as one ONNX model of opset 11. The blobs that `init` fills are its constants,
// `inputs` its inputs, and the external outputs of `predict` its outputs. An input takes precedence over a constant of
// its name.
//
// INVALID_ARGUMENT, with the position in the net, if a net is malformed, an operator or one of its arguments is
// unknown, or an external input is neither filled by `init` nor among `inputs`. RESOURCE_EXHAUSTED if the model has
// more than `bytes_max` bytes. No content of the files causes any other failure. Thread-safe.
base::Result<std::string> RewriteNets(const NetFile& predict, const NetFile& init, std::span<const NetInput> inputs,
                                      uint64_t bytes_max = kModelBytesMax);

// Returns the types of the known operators.
std::vector<std::string_view> KnownOperators();

}  // namespace inferd::netdef
