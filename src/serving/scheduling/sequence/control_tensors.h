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

// An input that tells the engine the state of each row's sequence (ModelSequenceBatching.control_input). Clients do not
// send it. It has one element per row: a column [rows, 1], or [rows] if the model has it so, or [1] if the model does
// not batch.
struct ControlTensor {
  int engine_input = 0;  // index in the engine's own signature
  config::SequenceControlKind kind = config::SequenceControlKind::kStart;
  tensor::DataType datatype = tensor::DataType::kInvalid;
  double false_value = 0;
  double true_value = 1;
  bool by_rows = true;  // the model batches
  bool column = true;
};

// Makes the control tensors of a configuration. Empty without sequence_batching. INVALID_ARGUMENT if the model has no
// such input.
base::Result<std::vector<ControlTensor>> MakeControlTensors(const config::ModelConfig& config,
                                                            const core::ModelSignature& signature,
                                                            const core::ModelSignature& engine);

// Checks that the id can be passed to the model in that type. A text fits a number type only if it is a number, and a
// number must not be too large. INVALID_ARGUMENT, in words that follow those about the request.
base::Status CheckCorrid(const core::Sequence& sequence, tensor::DataType datatype);

// Fills in the control input for the execution of `members` and `padding` extra rows. The ids must have been checked.
void LayOutControl(const ControlTensor& control, std::span<const std::unique_ptr<QueueEntry>> members, int64_t padding,
                   core::ExecutionInput& input);

}  // namespace inferd::scheduling
