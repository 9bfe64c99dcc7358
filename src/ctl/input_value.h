#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "ctl/v2_server.h"

namespace inferd::ctl {

// A tensor to send, or one that came back.
struct NamedTensor {
  std::string name;
  tensor::DataType datatype = tensor::DataType::kInvalid;
  tensor::Shape shape;
  base::BufferSlice data;  // row-major, little-endian; BYTES packed
};

// What a user said about inputs; each text is "NAME=...".
struct InputTexts {
  std::vector<std::string> values;  // zeros, ones, random, range; JSON; @FILE.npy, @FILE.json, @FILE (raw bytes)
  std::vector<std::string> shapes;  // "NAME=1,3,224,224", for what the model leaves open
  std::string fill;                 // a generator for every input that `values` does not name; empty: none
  uint32_t seed = 1;                // of random values, which also differ from input to input
};

// A tensor for each input of `model`, in its order. Dimensions that the model leaves open come from `shapes`, from the
// value (a nested JSON array, a .npy file, the number of elements), else they are 1. INVALID_ARGUMENT names the input
// and says what was expected.
base::Result<std::vector<NamedTensor>> MakeInputs(const ModelSignature& model, const InputTexts& texts);

}  // namespace inferd::ctl
