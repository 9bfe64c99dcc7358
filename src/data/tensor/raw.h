#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/buffer.h"
#include "base/status.h"
#include "data/tensor/data_type.h"
#include "data/tensor/shape.h"

namespace inferd::tensor {

// Returns the number of elements of `shape`. INVALID_ARGUMENT if a dimension is negative or the product overflows.
base::Result<size_t> ElementCount(const Shape& shape);

// Returns the size of a tensor of `shape` whose datatype has a fixed size (not BYTES). INVALID_ARGUMENT as for
// ElementCount(), or if the size overflows.
base::Result<size_t> ByteSize(DataType type, const Shape& shape);

// Checks that `data` holds a tensor of that datatype and shape as raw bytes: row-major, little-endian, without padding,
// BYTES packed (data/tensor/bytes.h). INVALID_ARGUMENT, with the expected and the actual size; the text is written to
// follow a tensor's name and a colon.
base::Status CheckRaw(DataType type, const Shape& shape, std::span<const std::byte> data);

// Returns the bytes at a multiple of `alignment` (a power of two, at most base::kBufferAlignment): `data` itself if it
// is aligned, else a copy.
base::BufferSlice Aligned(base::BufferSlice data, size_t alignment);

}  // namespace inferd::tensor
