#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/status.h"
#include "serving/core/request/infer_request.h"
#include "serving/scheduling/batch/batch_layout.h"
#include "serving/scheduling/batch/execution_context.h"

namespace inferd::scheduling {

// Selects the outputs that an engine must compute for a batch's members, and turns its responses into theirs. Keeps its
// memory from batch to batch. Thread-safe between two calls of LayOut(), except for Split().
class OutputLayout final {
 public:
  explicit OutputLayout(const ExecutionContext& context) : context_(context) {}

  // Fills `outputs` with every output that a member wants, as in core::Execution::outputs.
  void LayOut(MemberList members, std::vector<int>& outputs);

  // Turns the engine's outputs for one member alone into those that the member asked for, in its order and shapes,
  // without those that the model left out. INTERNAL if one is missing, or has another datatype or shape than the
  // model's.
  base::Status Pick(const core::QueuedRequest& member, std::vector<core::InferTensor>& tensors) const;

  // Puts the engine's outputs, which are in the order of `outputs` or have names, into that order, with names. An
  // output that the model left out is there without a datatype. INTERNAL if one is missing, or has another datatype
  // than the model's.
  base::Status Arrange(std::vector<core::InferTensor>& tensors) const;
  // Prepares arranged whole-batch outputs for ShareOf(): gives them the clients' shapes, and finds where each member's
  // share ends. INTERNAL if they do not have the batch's rows. Call once per batch.
  base::Status Split(MemberList members, const RowCount& rows, std::vector<core::InferTensor>& wholes);
  // Returns the outputs that member `i` asked for, as views.
  std::vector<core::InferTensor> ShareOf(MemberList members, size_t i,
                                         const std::vector<core::InferTensor>& wholes) const;

 private:
  base::Status FitShape(const core::QueuedRequest& member, int output, core::InferTensor& tensor) const;
  base::Status CountByRows(MemberList members, const RowCount& rows, int output, core::InferTensor& whole);
  base::Status CountByShapes(MemberList members, int output);
  tensor::Shape ScatteredShapeOf(const core::QueuedRequest& member, int output) const;

  const ExecutionContext& context_;
  std::vector<int> order_;     // the signature's index of each output of the execution
  std::vector<size_t> slots_;  // the reverse: the position of a signature's output in it
  std::vector<size_t> counts_;
  size_t shares_ = 0;         // per output: one per member, and one for the padding, if any
  std::vector<size_t> ends_;  // per output and share
};

}  // namespace inferd::scheduling
