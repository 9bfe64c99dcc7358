#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/buffer.h"
#include "base/status.h"
#include "data/tensor/data_type.h"
#include "data/tensor/shape.h"

namespace inferd::scheduling {

// Functions that change a tensor's shape within its rank: they append elements to some dimensions, or cut off the last
// ones. `data` is as in core::InferTensor::data. They copy whole runs of bytes, and read and write each byte once.

// Padding may take this many bytes, or this many times the bytes that clients sent, whichever is more: small requests
// must not fill the memory.
inline constexpr size_t kSmallPaddedBytesMax = size_t{16} << 20;
inline constexpr size_t kPaddedGrowthMax = 4;
size_t PaddedBytesMax(size_t sent_bytes);

// The value of the elements that padding adds.
struct Filling {
  uint64_t bits = 0;  // of one element, in the lower bytes
  std::span<const std::byte>
      packed;  // BYTES: its length and text. Types too wide for `bits`: its bytes. Empty: 0, or no text

  Filling(uint64_t element_bits) : bits(element_bits) {}  // NOLINT(google-explicit-constructor): what ElementOf gives
  // Returns the first element of `data`, which must have one and must outlive the result.
  static Filling FirstOf(tensor::DataType type, const base::BufferSlice& data);
};

// Returns the bytes of one element of `value`, in the lower bytes. INVALID_ARGUMENT if the type has no such value.
// BYTES only has 0, the empty element.
base::Result<uint64_t> ElementOf(tensor::DataType type, double value);

// Returns the size of `data`, of shape `from`, after padding to the shape `to`, of which no dimension is smaller.
// Returns nullopt if the size overflows.
std::optional<size_t> PaddedSize(tensor::DataType type, size_t data_size, const tensor::Shape& from,
                                 const tensor::Shape& to, const Filling& filling = 0);

// Pads `data`, a tensor of shape `from`. PaddedSize() must have a value. Throws std::bad_alloc.
base::BufferSlice Padded(tensor::DataType type, const base::BufferSlice& data, const tensor::Shape& from,
                         const tensor::Shape& to, const Filling& filling);

// Cuts `data`, of shape `from`, down to the shape `to`, of which no dimension is larger. Returns a view of `data` if
// the rest is one run of bytes. Returns nullopt if `data` is not a tensor of shape `from`. Throws std::bad_alloc.
std::optional<base::BufferSlice> Cropped(tensor::DataType type, const base::BufferSlice& data,
                                         const tensor::Shape& from, const tensor::Shape& to);

}  // namespace inferd::scheduling
