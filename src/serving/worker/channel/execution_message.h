#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "serving/core/engine.h"
#include "serving/worker/channel/channel_memory.h"
#include "serving/worker/control/message.h"
#include "serving/worker/control/model_message.h"

namespace inferd::worker {

// A core::Execution on its way to the worker: its tensors' bytes and, behind them, the message that says what they are.
// All that is read, on either side, is checked against the area.

struct PlacedCall {
  size_t offset = 0;  // of the message
  size_t bytes = 0;
  size_t used() const { return offset + bytes; }
};

// Where the worker finds an execution's inputs, on either side.
struct InputAreas {
  std::span<std::byte> call;
  std::span<const std::byte> bodies;  // BodyMemory's; empty: there is none
};

// Copies the inputs into the call area, each piece aligned as the model wishes; pieces of inputs that it wants in one
// piece are joined. What lies among the bodies already, aligned and in one piece where that is wanted, is left there:
// it stays until the execution is finished, as all its buffers. `writer` is memory to work in. INVALID_ARGUMENT: what
// is to be copied does not fit. Those of base::CopyBytes.
base::Result<PlacedCall> PlaceCall(const core::Execution& execution, const ModelDescription& model,
                                   const InputAreas& areas, MessageWriter& writer);

// What the worker knows of a request: its id, parameters, sequence and timeout, and where its trace goes on.
struct CalledRequest {
  core::InferRequest request = {};
  bool fills_up = false;
};

// The worker's end. Inputs are views of the areas. INTERNAL: it cannot be read.
base::Status ReadCall(std::string_view message, const InputAreas& areas, core::Execution& execution,
                      std::vector<CalledRequest>& requests);

// A response on its way back: its tensors' places in the answer area.
struct PlacedTensor {
  tensor::DataType datatype = tensor::DataType::kInvalid;
  tensor::Shape shape;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint32_t block = kNoBlock;  // kNoBlock: no bytes
};

struct PlacedAnswer {
  base::Status status = {};
  std::vector<PlacedTensor> outputs = {};
  core::Parameters parameters = {};
  bool reschedule = false;  // as core::EngineResponse has it
};

void WriteAnswer(const PlacedAnswer& answer, MessageWriter& writer);
// INTERNAL: it cannot be read, or its parameters could not be answered. Places are as they came.
base::Result<PlacedAnswer> ReadAnswer(std::string_view message);

}  // namespace inferd::worker
