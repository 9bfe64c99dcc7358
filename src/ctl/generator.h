#pragma once

#include <optional>
#include <string_view>

#include "base/buffer.h"
#include "base/status.h"
#include "tensor/data_type.h"
#include "tensor/shape.h"

namespace inferd::ctl {

// Made-up tensor data: all 0, all 1, the numbers from 0 on, or the same pseudo-random numbers each time (floats in [0,
// 1), integers in [0, 100), as far as the type reaches). BYTES elements are those numbers as text.
enum class Generator { kZeros, kOnes, kRange, kRandom };

// "zeros", "ones", "range", "random".
std::optional<Generator> ParseGenerator(std::string_view name);

// INVALID_ARGUMENT for a shape too large to hold.
base::Result<base::BufferSlice> Generate(Generator generator, tensor::DataType type, const tensor::Shape& shape);

}  // namespace inferd::ctl
