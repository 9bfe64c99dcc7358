#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "ctl/v2_server.h"

namespace inferd::ctl {

// A tensor to send, or a received one.
struct NamedTensor {
  std::string name;
  tensor::DataType datatype = tensor::DataType::kInvalid;
  tensor::Shape shape;
  base::BufferSlice data;  // row-major, little-endian; BYTES packed
};

// The user's specification of inputs. Each text is "NAME=...".
struct InputTexts {
  std::vector<std::string> values;  // zeros, ones, random, range; JSON; @FILE.npy, @FILE.json, @FILE (raw bytes)
  std::vector<std::string> shapes;  // "NAME=1,3,224,224", for variable dimensions
  std::string fill;                 // a generator for all inputs that `values` does not name; may be empty
  uint32_t seed = 1;                // for random values, which also differ between inputs
};

// Makes a tensor for each input of `model`, in the model's order. A variable dimension comes from `shapes`, from the
// value (a nested JSON array, a .npy file, the number of elements), or is 1. INVALID_ARGUMENT names the input, and says
// what was expected.
base::Result<std::vector<NamedTensor>> MakeInputs(const ModelSignature& model, const InputTexts& texts);

}  // namespace inferd::ctl
