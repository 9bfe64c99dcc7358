#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/buffer.h"
#include "base/status.h"
#include "data/tensor/data_type.h"
#include "data/tensor/shape.h"

namespace inferd::ctl {

// Generated tensor data: all 0, all 1, the numbers from 0, or pseudo-random numbers (floats in [0, 1), integers in [0,
// 100), limited by the type). BYTES elements are such numbers as text.
enum class Generator { kZeros, kOnes, kRange, kRandom };

// Parses "zeros", "ones", "range" or "random". Nullopt for other names.
std::optional<Generator> ParseGenerator(std::string_view name);

// Generates a tensor's data. Random numbers are equal for equal `seed`. INVALID_ARGUMENT if the shape is too large.
base::Result<base::BufferSlice> Generate(Generator generator, tensor::DataType type, const tensor::Shape& shape,
                                         uint32_t seed);

}  // namespace inferd::ctl
