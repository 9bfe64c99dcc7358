#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/buffer.h"
#include "base/status.h"
#include "data/tensor/data_type.h"
#include "data/tensor/shape.h"

namespace inferd::tensor {

// The elements of `shape`. INVALID_ARGUMENT if a dimension is negative or the product overflows.
base::Result<size_t> ElementCount(const Shape& shape);

// The bytes of a tensor of `shape` whose datatype has a fixed size (not BYTES). INVALID_ARGUMENT as ElementCount, or if
// the bytes overflow.
base::Result<size_t> ByteSize(DataType type, const Shape& shape);

// Whether `data` is a tensor of that datatype and shape as raw bytes: row-major, little-endian, no padding; BYTES
// packed (data/tensor/bytes.h). INVALID_ARGUMENT with expected and got, in words that follow a tensor's name and a
// colon.
base::Status CheckRaw(DataType type, const Shape& shape, std::span<const std::byte> data);

// The same bytes at a multiple of `alignment` (a power of two, at most base::kBufferAlignment): `data` itself, or a
// copy if it stands elsewhere.
base::BufferSlice Aligned(base::BufferSlice data, size_t alignment);

}  // namespace inferd::tensor
