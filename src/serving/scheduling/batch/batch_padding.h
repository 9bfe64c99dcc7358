#pragma once

#include <cstdint>
#include <span>

#include "base/buffer.h"
#include "base/status.h"
#include "serving/core/request/infer_request.h"

namespace inferd::scheduling {

// Filling batches up to sizes that a model is made for (inferd { batch_padding }, TensorFlow Serving's
// allowed_batch_sizes): copies of a row that a client sent stand behind the requests' own, and what the model makes of
// them is nobody's.

// The most bytes that the padding of one input may have.
inline constexpr size_t kBatchPaddingBytesMax = size_t{1} << 30;

// How many rows a batch of `rows` lacks to the next of the `allowed`, which ascend; 0: it is one of them or beyond all,
// or has none that could be repeated.
int64_t MissingRows(std::span<const int64_t> allowed, int64_t rows);

// `times` copies of the first row of `tensor`, which has one. RESOURCE_EXHAUSTED: that is more than
// kBatchPaddingBytesMax, or than there is memory for. INTERNAL: the data is not what the shape says.
base::Result<base::BufferSlice> RepeatFirstRow(const core::InferTensor& tensor, int64_t times);

}  // namespace inferd::scheduling
