#pragma once

#include <cstdint>
#include <filesystem>
#include <random>

#include "base/buffer.h"
#include "base/status.h"
#include "config/model/model_config.h"

namespace inferd::repository {

// What an input of a warm-up holds (ModelWarmup), for so many rows of `input.dims`; without a batch
// dimension there is one.
//
//   zero_data        zeros; BYTES: empty elements
//   input_data_file  the bytes of a file below `dir`, for each row the same
//   random_data      what any model can compute with, drawn anew for each element: multiples of 1/256 from 0 to below 1
//                    in floats; 0 or 1 in integers, which may be indices, and BOOL; BYTES: a digit each. Triton draws
//                    any bits, NaN among them, and has empty BYTES.
//
// INVALID_ARGUMENT: a file outside `dir` or none that is there, no such tensor, or more than 1 GiB.
base::Result<base::Buffer> MakeWarmupData(const config::WarmupInput& input, int64_t rows,
                                          const std::filesystem::path& dir, std::minstd_rand& random);

}  // namespace inferd::repository
