#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/byte_budget.h"
#include "base/clock.h"
#include "base/status.h"
#include "serving/core/scheduler.h"
#include "serving/scheduling/batch/batch_io.h"
#include "serving/scheduling/metrics/inference_metrics.h"
#include "serving/scheduling/queue/queue_entry.h"
#include "serving/scheduling/sequence/control_tensors.h"

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
  std::vector<ControlTensor> controls = {};
  std::vector<int64_t> allowed_rows = {};  // of an execution, ascending: batches are filled up; empty: any

  BatchingSessionMetrics* batching_session = nullptr;  // null: the model does not batch, or nobody wants them

  // The model may execute a request again: when a batch fails as a whole, its members are run again, each alone.
  bool retries_members = false;
  bool reschedules = false;             // the engine may ask for another execution of a request: iterative_sequence
  SharingLimit* sharing = nullptr;      // hears of it, and may end the sharing and filling up of batches
  base::ByteBudget* outputs = nullptr;  // what they are charged to; null: they are not
  // Set once outputs have been charged: requests are likely to need room for theirs.
  std::atomic<bool>* outputs_count = nullptr;
};

// All but `sharing` and `outputs`. INVALID_ARGUMENT: batch_input, batch_output or a reshape do not go with
// the model.
base::Result<ExecutionContext> MakeExecutionContext(const core::SchedulerParts& parts, const base::Clock& clock,
                                                    VersionMetrics& metrics);

}  // namespace inferd::scheduling
