#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "engines/rewrite/mxnet/graph/element_types.h"

// MXNet's files of parameters: a list of arrays and their names, as mx.nd.save writes it. Arrays of every version of
// the format are read, of dense storage.

namespace inferd::mxnet {

// What a file may have; one with more is refused.
inline constexpr uint64_t kArraysMax = 65536;
inline constexpr uint32_t kDimensionsMax = 32;
inline constexpr uint64_t kArrayNameMax = 4096;  // bytes

struct Array {
  Element element = Element::kFloat;
  std::vector<int64_t> shape;  // every size is 0 or more
  std::string_view raw;        // the elements, as they lie in memory: a view into the file
};

// By their names, without the "arg:" or "aux:" that says what is trained.
using Params = std::map<std::string, Array, std::less<>>;

// INVALID_ARGUMENT: the file is malformed, beyond a limit, or has an array without a name, of sparse storage, or of a
// datatype that ONNX has not.
base::Result<Params> ReadParams(std::string_view bytes);

}  // namespace inferd::mxnet
