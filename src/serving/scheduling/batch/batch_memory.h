#pragma once

#include <memory>
#include <vector>

#include "serving/scheduling/batch/batch_execution.h"
#include "serving/scheduling/batch/formed_batch.h"

namespace inferd::scheduling {

// The entries and executions of one scheduler, for reuse: once there have been enough of them, a request allocates
// none. Not thread-safe; outlives no execution that is left to its engine.
class BatchMemory final {
 public:
  // `context` outlives the executions.
  explicit BatchMemory(const ExecutionContext& context) : context_(context) {}

  std::unique_ptr<QueueEntry> NewEntry();

  // Makes an execution of `members` (at least one), and leaves the vector empty. The caller must fill in
  // FormedBatch::waited and left_waiting, which depend on its queue.
  FormedBatch Form(std::vector<std::unique_ptr<QueueEntry>>& members, core::BatchReason reason);

  // Takes back a cleared execution, and the emptied entries of its remains.
  void Recycle(std::unique_ptr<BatchExecution> execution, std::vector<std::unique_ptr<QueueEntry>>& entries);

 private:
  BatchExecution* NewExecution();

  const ExecutionContext& context_;
  std::vector<std::unique_ptr<QueueEntry>> entries_;
  std::vector<std::unique_ptr<BatchExecution>> executions_;
};

}  // namespace inferd::scheduling
