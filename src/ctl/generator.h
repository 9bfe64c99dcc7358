#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/buffer.h"
#include "base/status.h"
#include "data/tensor/data_type.h"
#include "data/tensor/shape.h"

namespace inferd::ctl {

// Made-up tensor data: all 0, all 1, the numbers from 0 on, or pseudo-random numbers (floats in [0, 1), integers in
// [0, 100), as far as the type reaches). BYTES elements are those numbers as text.
enum class Generator { kZeros, kOnes, kRange, kRandom };

// "zeros", "ones", "range", "random".
std::optional<Generator> ParseGenerator(std::string_view name);

// Random numbers are the same each time for the same `seed`. INVALID_ARGUMENT for a shape too large to hold.
base::Result<base::BufferSlice> Generate(Generator generator, tensor::DataType type, const tensor::Shape& shape,
                                         uint32_t seed);

}  // namespace inferd::ctl
