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

// The common parameters of one scheduler's executions; outlives them. Immutable.
struct ExecutionContext {
  const base::Clock& clock;
  const core::ModelSignature& signature;
  core::VersionStatistics& statistics;
  VersionMetrics& metrics;
  std::vector<size_t> input_alignments;  // per input of the signature
  std::vector<int> engine_inputs;        // indices in the engine's own signature
  std::vector<int> engine_outputs;
  std::vector<bool> one_piece_inputs = {};  // per input: the engine's side gathers a batch's pieces
  BatchPlan plan = {};
  std::vector<ControlTensor> controls = {};
  std::vector<int64_t> allowed_rows = {};  // ascending; batches are filled up to these; empty means any

  BatchingSessionMetrics* batching_session = nullptr;  // null if the model does not batch, or the series are off

  // If a batch fails as a whole, its members run again, each alone: the model may execute a request twice.
  bool retries_members = false;
  bool reschedules = false;             // iterative_sequence: the engine may ask for another execution of a request
  SharingLimit* sharing = nullptr;      // counts failures, and may stop sharing and filling up
  base::ByteBudget* outputs = nullptr;  // the budget for outputs; null if there is none
  // Set once outputs have been charged: further requests will probably need room, too.
  std::atomic<bool>* outputs_count = nullptr;
};

// Makes everything but `sharing` and `outputs`. INVALID_ARGUMENT if a batch_input, batch_output or reshape does not fit
// the model.
base::Result<ExecutionContext> MakeExecutionContext(const core::SchedulerParts& parts, const base::Clock& clock,
                                                    VersionMetrics& metrics);

}  // namespace inferd::scheduling
