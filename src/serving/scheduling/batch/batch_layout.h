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

// What request `member` brings for the signature's input `input`; null: nothing. `hint`: where it stood in a request of
// the same kind.
const core::InferTensor* FindMemberInput(const core::QueuedRequest& member, int input, size_t hint = 0);

// The shape in which the engine's side thinks of what `member` brings for `input`: reshaped; with no elements if it
// brings nothing.
tensor::Shape SourceShape(const ExecutionContext& context, const core::QueuedRequest& member, int input);

// How many rows an execution has: those of its members, and those that fill it up to an allowed size.
struct RowCount {
  int64_t requested = 0;
  int64_t padding = 0;

  int64_t total() const { return requested + padding; }
};

// The inputs of the execution of `members` (one BatchKey, at least one): one piece per member, one of padding if there
// is any, and what the server makes itself. Fills `inputs`, whose elements keep their memory. INVALID_ARGUMENT,
// RESOURCE_EXHAUSTED: what there would be to make of them is too large. INTERNAL: their keys differ.
base::Status LayOutInputs(const ExecutionContext& context, MemberList members, const RowCount& rows,
                          std::vector<core::ExecutionInput>& inputs);

}  // namespace inferd::scheduling
