#pragma once

#include <cstdint>
#include <span>

#include "base/buffer.h"
#include "base/status.h"
#include "serving/core/request/infer_request.h"

namespace inferd::scheduling {

// Fills batches up to sizes that a model is made for (inferd { batch_padding }, TensorFlow Serving's
// allowed_batch_sizes). Copies of a client's row follow the requests' own rows, and the model's results for them are
// discarded.

// The maximum bytes of the padding of one input.
inline constexpr size_t kBatchPaddingBytesMax = size_t{1} << 30;

// Returns how many rows a batch of `rows` lacks to the next of the ascending `allowed` sizes. 0 if it is one of them,
// is beyond all, or has no row that could be repeated.
int64_t MissingRows(std::span<const int64_t> allowed, int64_t rows);

// Returns `times` copies of the first row of `tensor`, which must have one. RESOURCE_EXHAUSTED if that exceeds
// kBatchPaddingBytesMax or the free memory. INTERNAL if the data does not match the shape.
base::Result<base::BufferSlice> RepeatFirstRow(const core::InferTensor& tensor, int64_t times);

}  // namespace inferd::scheduling
