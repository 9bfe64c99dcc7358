#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "serving/core/engine.h"
#include "serving/scheduling/batch/execution_context.h"

namespace inferd::scheduling {

using MemberList = std::span<const std::unique_ptr<QueueEntry>>;

// Returns the tensor that `member` brings for the signature's input `input`. Null if it brings none. `hint` is the
// tensor's position in a request of the same kind.
const core::InferTensor* FindMemberInput(const core::QueuedRequest& member, int input, size_t hint = 0);

// Returns the engine's shape (reshaped) of the tensor that `member` brings for `input`. The shape has no elements if
// the member brings none.
tensor::Shape SourceShape(const ExecutionContext& context, const core::QueuedRequest& member, int input);

// The rows of an execution: those of its members, and those that fill it up to an allowed size.
struct RowCount {
  int64_t requested = 0;
  int64_t padding = 0;

  int64_t total() const { return requested + padding; }
};

// Lays out the inputs of the execution of `members` (one BatchKey, at least one): one piece per member, one of padding
// if there is any, and the inputs that the server generates. Fills `inputs`, whose elements keep their memory.
// INVALID_ARGUMENT or RESOURCE_EXHAUSTED if the result would be too large. INTERNAL if the keys differ.
base::Status LayOutInputs(const ExecutionContext& context, MemberList members, const RowCount& rows,
                          std::vector<core::ExecutionInput>& inputs);

}  // namespace inferd::scheduling
