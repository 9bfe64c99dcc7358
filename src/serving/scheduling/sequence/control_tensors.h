#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "config/model/model_config.h"
#include "serving/core/engine.h"
#include "serving/core/model/model_signature.h"
#include "serving/scheduling/queue/queue_entry.h"

namespace inferd::scheduling {

// Inputs by which an engine learns what each row is of its sequence (ModelSequenceBatching.control_input): clients do
// not send them. One element for each row, in a column [rows, 1] unless the model has it as [rows]; [1] of a model that
// does not batch.
struct ControlTensor {
  int engine_input = 0;  // in the engine's own numbering
  config::SequenceControlKind kind = config::SequenceControlKind::kStart;
  tensor::DataType datatype = tensor::DataType::kInvalid;
  double false_value = 0;
  double true_value = 1;
  bool by_rows = true;  // the model batches
  bool column = true;
};

// Of a configuration without sequence_batching: none. INVALID_ARGUMENT: an input that the model does not have.
base::Result<std::vector<ControlTensor>> MakeControlTensors(const config::ModelConfig& config,
                                                            const core::ModelSignature& signature,
                                                            const core::ModelSignature& engine);

// Whether the id can be told in that type: a text has no place in a number, unless it is one, nor has a number where it
// is too large. INVALID_ARGUMENT, in words that follow those about the request.
base::Status CheckCorrid(const core::Sequence& sequence, tensor::DataType datatype);

// That control of the execution of `members`, and of rows that fill it up. Their ids have been checked.
void LayOutControl(const ControlTensor& control, std::span<const std::unique_ptr<QueueEntry>> members, int64_t padding,
                   core::ExecutionInput& input);

}  // namespace inferd::scheduling
