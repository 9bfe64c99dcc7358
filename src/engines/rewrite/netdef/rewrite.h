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

// An ONNX model is one protobuf message, which has to be below 2 GiB.
inline constexpr uint64_t kModelBytesMax = 2'000'000'000;

struct NetFile {
  std::string_view name;  // for errors
  std::string_view bytes;
};

// What a configuration says of an input, since nets do not.
struct NetInput {
  std::string_view name;
  Element element = Element::kFloat;
  std::vector<int64_t> shape;  // whole; -1: any size
};

// The nets of a Caffe2 model as one ONNX model of opset 11: what `init` fills are its constants,
// `inputs` its inputs, and the external outputs of `predict` its outputs. An input goes before a constant of its name.
//
// INVALID_ARGUMENT: a net is malformed, an operator or one of its arguments is not known (the text has its place in the
// net), or an external input is neither filled by `init` nor among `inputs`. RESOURCE_EXHAUSTED: the model has more
// than `bytes_max` bytes. Whatever the bytes are, that is all that comes of them. Thread-safe.
base::Result<std::string> RewriteNets(const NetFile& predict, const NetFile& init, std::span<const NetInput> inputs,
                                      uint64_t bytes_max = kModelBytesMax);

// The types of the operators that are known.
std::vector<std::string_view> KnownOperators();

}  // namespace inferd::netdef
