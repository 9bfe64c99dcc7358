#pragma once

#include <cstdint>
#include <filesystem>
#include <random>

#include "base/buffer.h"
#include "base/status.h"
#include "config/model/model_config.h"

namespace inferd::repository {

// Makes the data of a warm-up's input (ModelWarmup), for `rows` rows of `input.dims`. Without a batch dimension, `rows`
// is 1.
//
//   zero_data        zeros; BYTES: empty elements
//   input_data_file  the bytes of a file below `dir`, the same for each row
//   random_data      values that any model can use, drawn anew for each element. Floats: multiples of 1/256 from 0 to
//                    below 1. Integers, which may be indices, and BOOL: 0 or 1. BYTES: one digit each. Triton draws
//                    any bits, NaN among them, and has empty BYTES.
//
// INVALID_ARGUMENT if the file is missing or outside `dir`, if no such tensor is possible, or if the data exceed 1 GiB.
base::Result<base::Buffer> MakeWarmupData(const config::WarmupInput& input, int64_t rows,
                                          const std::filesystem::path& dir, std::minstd_rand& random);

}  // namespace inferd::repository
