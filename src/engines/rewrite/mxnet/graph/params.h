#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "engines/rewrite/mxnet/graph/element_types.h"

// Reader for MXNet's parameter files: a list of arrays and their names, as mx.nd.save writes it. Reads arrays of every
// version of the format, with dense storage.

namespace inferd::mxnet {

// The limits of a file; one that exceeds them is refused.
inline constexpr uint64_t kArraysMax = 65536;
inline constexpr uint32_t kDimensionsMax = 32;
inline constexpr uint64_t kArrayNameMax = 4096;  // bytes

struct Array {
  Element element = Element::kFloat;
  std::vector<int64_t> shape;  // every size is 0 or more
  std::string_view raw;        // the elements as in memory: a view into the file
};

// Arrays by their names, without the prefix "arg:" or "aux:" that marks what is trained.
using Params = std::map<std::string, Array, std::less<>>;

// INVALID_ARGUMENT if the file is malformed, exceeds a limit, or has an array without a name, with sparse storage, or
// with a datatype that ONNX does not have.
base::Result<Params> ReadParams(std::string_view bytes);

}  // namespace inferd::mxnet
