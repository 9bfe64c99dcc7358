#include "serving/scheduling/batch/batch_padding.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

#include "data/tensor/bytes.h"
#include "data/tensor/raw.h"

namespace inferd::scheduling {

namespace {

std::optional<size_t> FirstRowBytes(const core::InferTensor& tensor) {
  const auto elements = tensor::ElementCount(tensor.shape);
  if (!elements || tensor.shape.rank() == 0 || tensor.shape[0] <= 0) return std::nullopt;
  const size_t in_row = *elements / static_cast<size_t>(tensor.shape[0]);
  if (tensor.datatype != tensor::DataType::kBytes) return in_row * tensor::ElementSize(tensor.datatype);
  const auto bytes = tensor::PackedPrefix(tensor.data.bytes(), in_row);
  return bytes ? std::optional(*bytes) : std::nullopt;
}

base::Status TooLarge() {
  return base::ResourceExhausted("there is no memory to fill the batch up to an allowed size");
}

}  // namespace

int64_t MissingRows(std::span<const int64_t> allowed, int64_t rows) {
  const auto next = std::ranges::lower_bound(allowed, rows);
  return rows <= 0 || next == allowed.end() ? 0 : *next - rows;
}

base::Result<base::BufferSlice> RepeatFirstRow(const core::InferTensor& tensor, int64_t times) {
  const std::optional<size_t> row = FirstRowBytes(tensor);
  if (!row.has_value() || *row > tensor.data.size()) {
    return std::unexpected(base::Internal("input '" + tensor.name + "' is not as large as its shape says"));
  }
  const auto count = static_cast<size_t>(times);
  if (*row > kBatchPaddingBytesMax / count) return std::unexpected(TooLarge());
  try {
    base::Buffer buffer = base::Buffer::Allocate(*row * count);
    for (size_t i = 0; *row > 0 && i < count; ++i) std::memcpy(buffer.data() + i * *row, tensor.data.data(), *row);
    return base::BufferSlice(std::move(buffer));
  } catch (const std::bad_alloc&) {
    return std::unexpected(TooLarge());
  }
}

}  // namespace inferd::scheduling
