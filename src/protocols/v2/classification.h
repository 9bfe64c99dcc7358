#pragma once

#include <cstdint>

#include "base/status.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"

namespace inferd::v2 {

// How a class's value is written. kShortest: as few digits as tell it from its neighbours; kSixDecimals: floats as
// C's %f, which is how Triton's clients know it.
enum class ClassValues { kShortest, kSixDecimals };

// Triton's classification extension: the `classes` largest elements of `tensor` (of each row, if the model batches),
// largest first, the lower index first among equals, as BYTES "<value>:<index>" or, where `spec` has a label of that
// index, "<value>:<index>:<label>". The shape is [batch, n] for a model that batches and [n] otherwise, n <= `classes`
// being what a row has. NaN counts as smaller than any number. INVALID_ARGUMENT names the output if it is BOOL or
// BYTES.
base::Result<core::InferTensor> Classify(const core::InferTensor& tensor, const core::TensorSpec& spec, bool batched,
                                         uint32_t classes, ClassValues values = ClassValues::kShortest);

}  // namespace inferd::v2
