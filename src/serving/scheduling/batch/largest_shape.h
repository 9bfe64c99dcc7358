#pragma once

#include <optional>

#include "base/buffer.h"
#include "base/status.h"
#include "serving/scheduling/batch/batch_layout.h"

namespace inferd::scheduling {

// Padding of inputs of different shapes in one execution (inferd { batch_padding { to_largest_shape } }, TensorFlow
// Serving's pad_variable_length_inputs). Each input is filled up with its own first element to the largest size of each
// dimension among the members. Only for inputs whose core::TensorSpec is `padded`.

// Returns the common shape of the members' tensors for an input, without the rows. Returns nullopt if they already have
// it. `hint` is as in FindMemberInput.
std::optional<tensor::Shape> LargestShape(const ExecutionContext& context, MemberList members, int input, size_t hint);

// Returns `tensor` in the dimensions of `largest`, with its own rows. RESOURCE_EXHAUSTED if there is no memory for it.
base::Result<core::InferTensor> FilledUp(const core::InferTensor& tensor, const tensor::Shape& largest);

// Returns true if the joined and padded inputs of the members stay within PaddedBytesMax.
bool MayBePadded(const ExecutionContext& context, MemberList members);

}  // namespace inferd::scheduling
