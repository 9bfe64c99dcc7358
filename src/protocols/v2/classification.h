#pragma once

#include <cstdint>

#include "base/status.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"

namespace inferd::v2 {

// The form of a class's value. kShortest: as few digits as distinguish it from its neighbours. kSixDecimals: floats
// like C's %f, as Triton's clients expect.
enum class ClassValues { kShortest, kSixDecimals };

// Returns Triton's classification of `tensor`: its `classes` largest elements (of each row, if the model batches),
// largest first, the lower index first among equals. They are BYTES "<value>:<index>" or, if `spec` has a label of that
// index, "<value>:<index>:<label>". The shape is [batch, n] for a model that batches and [n] otherwise; n is `classes`,
// or less if a row has fewer elements. NaN counts as smaller than any number. INVALID_ARGUMENT, naming the output, if
// it is BOOL or BYTES.
base::Result<core::InferTensor> Classify(const core::InferTensor& tensor, const core::TensorSpec& spec, bool batched,
                                         uint32_t classes, ClassValues values = ClassValues::kShortest);

}  // namespace inferd::v2
