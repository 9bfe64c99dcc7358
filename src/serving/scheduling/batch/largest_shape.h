#pragma once

#include <optional>

#include "base/buffer.h"
#include "base/status.h"
#include "serving/scheduling/batch/batch_layout.h"

namespace inferd::scheduling {

// Inputs of different shapes in one execution (inferd { batch_padding { to_largest_shape } }, TensorFlow Serving's
// pad_variable_length_inputs): each is filled up with its first element to the largest size that any of them has in
// each dimension. Of inputs whose core::TensorSpec is `padded`.

// The shape that the members' tensors for an input get, the number of rows aside; nullopt: they have it. `hint` as in
// FindMemberInput.
std::optional<tensor::Shape> LargestShape(const ExecutionContext& context, MemberList members, int input, size_t hint);

// `tensor` in the dimensions of `largest`, with its own rows. RESOURCE_EXHAUSTED: there is no memory for it.
base::Result<core::InferTensor> FilledUp(const core::InferTensor& tensor, const tensor::Shape& largest);

// Whether what the members' inputs become together is within PaddedBytesMax.
bool MayBePadded(const ExecutionContext& context, MemberList members);

}  // namespace inferd::scheduling
