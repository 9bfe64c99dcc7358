#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "core/engine.h"
#include "worker/channel_memory.h"
#include "worker/message.h"
#include "worker/model_message.h"

namespace inferd::worker {

// A core::Execution on its way to the worker: its tensors' bytes and, behind them, the message that says what they are.
// All that is read, on either side, is checked against the area.

struct PlacedCall {
  size_t offset = 0;  // of the message
  size_t bytes = 0;
  size_t used() const { return offset + bytes; }
};

// Copies the inputs into the area, each piece aligned as the model wishes; pieces of inputs that it wants in one piece
// are joined. `writer` is memory to work in. INVALID_ARGUMENT: they do not fit.
base::Result<PlacedCall> PlaceCall(const core::Execution& execution, const ModelDescription& model,
                                   std::span<std::byte> area, MessageWriter& writer);

// The worker's end. Inputs are views of the area; `requests` gets ids and parameters alone. INTERNAL: it cannot be
// read.
base::Status ReadCall(std::string_view message, std::span<std::byte> area, core::Execution& execution,
                      std::vector<core::InferRequest>& requests);

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
};

void WriteAnswer(const PlacedAnswer& answer, MessageWriter& writer);
// INTERNAL: it cannot be read. Places are as they came.
base::Result<PlacedAnswer> ReadAnswer(std::string_view message);

}  // namespace inferd::worker
