#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/status.h"
#include "serving/core/request/infer_request.h"
#include "serving/scheduling/batch/batch_layout.h"
#include "serving/scheduling/batch/execution_context.h"

namespace inferd::scheduling {

// Which outputs an engine is asked for on behalf of a batch's members, and how its answers become theirs. Keeps its
// memory from batch to batch. Thread-safe between two calls of LayOut(), but for Split().
class OutputLayout final {
 public:
  explicit OutputLayout(const ExecutionContext& context) : context_(context) {}

  // Fills `outputs` with what any of the members wants, as core::Execution::outputs.
  void LayOut(MemberList members, std::vector<int>& outputs);

  // From the engine's outputs for one member alone to what it asked for, in its order and shapes, without those that
  // the model left out. INTERNAL: there is one missing, or with another datatype or shape than the model's.
  base::Status Pick(const core::QueuedRequest& member, std::vector<core::InferTensor>& tensors) const;

  // The engine answers in the order of `outputs`, or with names: afterwards they stand in that order, with names. What
  // the model left out stands there without a datatype. INTERNAL: there is one missing, or with another datatype than
  // the model's.
  base::Status Arrange(std::vector<core::InferTensor>& tensors) const;
  // Prepares whole-batch outputs, arranged, to be shared among the members: they get the clients' shapes, and ShareOf()
  // knows where each share ends. INTERNAL: they cannot be shared, as they do not have the batch's rows. Once per batch.
  base::Status Split(MemberList members, const RowCount& rows, std::vector<core::InferTensor>& wholes);
  // What member `i` asked for, as views.
  std::vector<core::InferTensor> ShareOf(MemberList members, size_t i,
                                         const std::vector<core::InferTensor>& wholes) const;

 private:
  base::Status FitShape(const core::QueuedRequest& member, int output, core::InferTensor& tensor) const;
  base::Status CountByRows(MemberList members, const RowCount& rows, int output, core::InferTensor& whole);
  base::Status CountByShapes(MemberList members, int output);
  tensor::Shape ScatteredShapeOf(const core::QueuedRequest& member, int output) const;

  const ExecutionContext& context_;
  std::vector<int> order_;     // the signature's index of each of the execution's outputs
  std::vector<size_t> slots_;  // and back: where an output of the signature stands in them
  std::vector<size_t> counts_;
  size_t shares_ = 0;         // of an output: the members', and one that is nobody's if there is padding
  std::vector<size_t> ends_;  // per output and share
};

}  // namespace inferd::scheduling
