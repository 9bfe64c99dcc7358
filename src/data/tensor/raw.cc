#include "data/tensor/raw.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

#include "data/tensor/bytes.h"

namespace inferd::tensor {

base::Result<size_t> ElementCount(const Shape& shape) {
  if (const std::optional<int64_t> count = shape.ElementCount()) return static_cast<size_t>(*count);
  const bool negative = std::ranges::any_of(shape.dims(), [](int64_t dim) { return dim < 0; });
  return std::unexpected(base::InvalidArgument(
      "shape " + shape.ToString() + (negative ? " has a negative dimension" : " has more than 2^63 elements")));
}

base::Result<size_t> ByteSize(DataType type, const Shape& shape) {
  INFERD_ASSIGN_OR_RETURN(const size_t count, ElementCount(shape));
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, ElementSize(type), &bytes) ||
      bytes > static_cast<size_t>(std::numeric_limits<int64_t>::max())) {
    return std::unexpected(base::InvalidArgument("shape " + shape.ToString() + " has more than 2^63 bytes of " +
                                                 std::string(DataTypeName(type))));
  }
  return bytes;
}

base::Status CheckRaw(DataType type, const Shape& shape, std::span<const std::byte> data) {
  if (type == DataType::kBytes) {
    INFERD_ASSIGN_OR_RETURN(const size_t count, ElementCount(shape));
    return CheckPacked(data, count);
  }
  INFERD_ASSIGN_OR_RETURN(const size_t expected, ByteSize(type, shape));
  if (data.size() == expected) return {};
  return base::InvalidArgument("expected " + std::to_string(expected) + " bytes for " +
                               std::string(DataTypeName(type)) + " of shape " + shape.ToString() + ", got " +
                               std::to_string(data.size()));
}

base::BufferSlice Aligned(base::BufferSlice data, size_t alignment) {
  if (reinterpret_cast<uintptr_t>(data.data()) % alignment == 0) return data;
  return base::BufferSlice(base::Buffer::CopyOf(data.view()));
}

}  // namespace inferd::tensor
