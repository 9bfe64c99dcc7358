#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "core/scheduler.h"
#include "scheduling/batch/batch_io.h"
#include "scheduling/inference_metrics.h"
#include "scheduling/queue/queue_entry.h"

namespace inferd::scheduling {

// What the executions of one scheduler have in common; outlives them. Immutable.
struct ExecutionContext {
  const base::Clock& clock;
  const core::ModelSignature& signature;
  core::VersionStatistics& statistics;
  VersionMetrics& metrics;
  std::vector<size_t> input_alignments;  // per input of the signature
  std::vector<int> engine_inputs;        // the signature's tensors in the engine's own numbering
  std::vector<int> engine_outputs;
  std::vector<bool> one_piece_inputs = {};  // per input: the pieces of a batch are gathered behind us
  BatchPlan plan = {};
  std::vector<int64_t> allowed_rows = {};  // of an execution, ascending: batches are filled up; empty: any

  BatchingSessionMetrics* batching_session = nullptr;  // null: the model does not batch, or nobody wants them

  // The model is side-effect free: when a batch fails as a whole, its members are run again, each alone.
  bool retries_members = false;
  // Takes the members to be run again of an execution that nobody waits for any more (BatchExecution: detached). Called
  // on a thread of the engine. Without it, they are answered with the batch's error.
  std::function<void(std::vector<std::unique_ptr<QueueEntry>>)> run_again = {};
};

// All but `run_again`. INVALID_ARGUMENT: batch_input, batch_output or a reshape do not go with the model.
base::Result<ExecutionContext> MakeExecutionContext(const core::SchedulerParts& parts, const base::Clock& clock,
                                                    VersionMetrics& metrics);

}  // namespace inferd::scheduling
