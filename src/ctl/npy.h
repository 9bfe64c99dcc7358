#pragma once

#include <string_view>

#include "base/buffer.h"
#include "base/status.h"
#include "data/tensor/data_type.h"
#include "data/tensor/shape.h"

namespace inferd::ctl {

// An array in the format of numpy.save.
struct NpyArray {
  tensor::DataType datatype = tensor::DataType::kInvalid;
  tensor::Shape shape;
  base::BufferSlice data;  // row-major, little-endian; BYTES packed
};

// Parses a .npy file (NumPy's NEP 1, versions 1 to 3): booleans, integers, floats, and byte ("S") and Unicode ("U")
// strings, which become BYTES. INVALID_ARGUMENT for anything else: big-endian, Fortran order, objects, a truncated
// file.
base::Result<NpyArray> ParseNpy(std::string_view bytes);

}  // namespace inferd::ctl
