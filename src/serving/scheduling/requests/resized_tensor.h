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

// A tensor's bytes in another shape of the same rank: with more elements behind those of some dimensions, or without
// the last ones. `data` as core::InferTensor::data. Copies whole runs of bytes, reading and writing each once.

// What is padded takes no more memory than so many bytes, or so many times what clients have sent: small requests must
// not fill the memory.
inline constexpr size_t kSmallPaddedBytesMax = size_t{16} << 20;
inline constexpr size_t kPaddedGrowthMax = 4;
size_t PaddedBytesMax(size_t sent_bytes);

// What stands in the elements that a tensor gets more of.
struct Filling {
  uint64_t bits = 0;  // of one element, in the lower bytes
  std::span<const std::byte>
      packed;  // of BYTES: its length and text; of what `bits` cannot hold: it; none: 0, or empty

  Filling(uint64_t element_bits) : bits(element_bits) {}  // NOLINT(google-explicit-constructor): what ElementOf gives
  // The first element of `data`, which has one, and outlives this.
  static Filling FirstOf(tensor::DataType type, const base::BufferSlice& data);
};

// The bytes of one element of `value`, in the lower bytes. INVALID_ARGUMENT if the type has no such value; of BYTES
// there is only 0, the empty element.
base::Result<uint64_t> ElementOf(tensor::DataType type, double value);

// What `data` of shape `from` takes in the shape `to`, no dimension of which is smaller; nullopt: more than can be
// said.
std::optional<size_t> PaddedSize(tensor::DataType type, size_t data_size, const tensor::Shape& from,
                                 const tensor::Shape& to, const Filling& filling = 0);

// `data` is a tensor of shape `from`, and PaddedSize has a value. Throws std::bad_alloc.
base::BufferSlice Padded(tensor::DataType type, const base::BufferSlice& data, const tensor::Shape& from,
                         const tensor::Shape& to, const Filling& filling);

// No dimension of `to` is larger than that of `from`. A view of `data` if what is left is one run. nullopt: `data` is
// no tensor of shape `from`. Throws std::bad_alloc.
std::optional<base::BufferSlice> Cropped(tensor::DataType type, const base::BufferSlice& data,
                                         const tensor::Shape& from, const tensor::Shape& to);

}  // namespace inferd::scheduling
