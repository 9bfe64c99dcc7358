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

// The encoding of a core::Execution for the worker: its tensors' bytes, followed by a message that describes them.
// Either side checks everything that it reads against the area.

struct PlacedCall {
  size_t offset = 0;  // of the message
  size_t bytes = 0;
  size_t used() const { return offset + bytes; }
};

// The memory areas with an execution's inputs, as mapped by either side.
struct InputAreas {
  std::span<std::byte> call;
  std::span<const std::byte> bodies;  // BodyMemory's; empty if there is none
};

// Copies the inputs into the call area, each piece aligned as the model wishes. Joins the pieces of inputs that the
// model wants in one piece. Pieces that are already among the bodies, aligned and in one piece if that is wanted, are
// not copied: like all buffers, they stay until the execution is finished. `writer` is scratch memory. INVALID_ARGUMENT
// if the copies do not fit. Errors of base::CopyBytes.
base::Result<PlacedCall> PlaceCall(const core::Execution& execution, const ModelDescription& model,
                                   const InputAreas& areas, MessageWriter& writer);

// The parts of a request that the worker gets: its id, parameters, sequence, timeout, and trace context.
struct CalledRequest {
  core::InferRequest request = {};
  bool fills_up = false;
};

// Decodes a call, in the worker. Inputs are views of the areas. INTERNAL if the call cannot be read.
base::Status ReadCall(std::string_view message, const InputAreas& areas, core::Execution& execution,
                      std::vector<CalledRequest>& requests);

// A tensor of a response, by its place in the answer area.
struct PlacedTensor {
  tensor::DataType datatype = tensor::DataType::kInvalid;
  tensor::Shape shape;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint32_t block = kNoBlock;  // kNoBlock if it has no bytes
};

struct PlacedAnswer {
  base::Status status = {};
  std::vector<PlacedTensor> outputs = {};
  core::Parameters parameters = {};
  bool reschedule = false;  // as in core::EngineResponse
};

void WriteAnswer(const PlacedAnswer& answer, MessageWriter& writer);
// INTERNAL if the answer cannot be read, or has invalid parameters. Does not check the places.
base::Result<PlacedAnswer> ReadAnswer(std::string_view message);

}  // namespace inferd::worker
