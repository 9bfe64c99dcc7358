#pragma once

#include <memory>
#include <vector>

#include "serving/scheduling/batch/batch_execution.h"
#include "serving/scheduling/batch/formed_batch.h"

namespace inferd::scheduling {

// The entries and executions of one scheduler, which are used again and again: a request costs no memory of its own
// once there have been as many before. Not thread-safe; outlives no execution that is left to its engine.
class BatchMemory final {
 public:
  // `context` outlives the executions.
  explicit BatchMemory(const ExecutionContext& context) : context_(context) {}

  std::unique_ptr<QueueEntry> NewEntry();

  // An execution of `members`, of which there is one at least; leaves the vector empty. What is up to the queue that
  // they came from, FormedBatch::waited and left_waiting, is for the caller to fill in.
  FormedBatch Form(std::vector<std::unique_ptr<QueueEntry>>& members, core::BatchReason reason);

  // Takes back an execution that was cleared, and the emptied entries of its remains.
  void Recycle(std::unique_ptr<BatchExecution> execution, std::vector<std::unique_ptr<QueueEntry>>& entries);

 private:
  BatchExecution* NewExecution();

  const ExecutionContext& context_;
  std::vector<std::unique_ptr<QueueEntry>> entries_;
  std::vector<std::unique_ptr<BatchExecution>> executions_;
};

}  // namespace inferd::scheduling
