#pragma once

#include <span>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "config/model/model_config.h"
#include "serving/core/model/model_signature.h"

namespace inferd::scheduling {

// Ragged batching (Triton's user guide, "Ragged Batching"): of an input with allow_ragged_batch the engine gets all
// elements of all requests as one row; batch_input tells it where whose elements are, and batch_output cuts such a row
// among the requests again.

// The most bytes of one batch_input.
inline constexpr size_t kGeneratedBytesMax = size_t{1} << 30;

// Inputs and outputs of a batch beyond what requests bring, and how they are made; from the model's configuration.
// Immutable.
struct BatchPlan {
  struct Generated {
    int engine_input = 0;  // in the engine's own numbering
    config::BatchInputKind kind = config::BatchInputKind::kElementCount;
    tensor::DataType datatype = tensor::DataType::kInt32;
    int source = 0;  // the signature's input
  };
  std::vector<Generated> generated;
  // Per output of the signature, the input by whose shapes it is scattered; -1: it is split by rows. Empty: all -1.
  std::vector<int> scatter_sources;

  int ScatterSource(int output) const { return scatter_sources.empty() ? -1 : scatter_sources[output]; }
};

// INVALID_ARGUMENT: a source, target or datatype that cannot be.
base::Result<BatchPlan> MakeBatchPlan(const config::ModelConfig& config, const core::ModelSignature& signature,
                                      const core::ModelSignature& engine);

struct GeneratedTensor {
  tensor::Shape shape;
  base::BufferSlice data;
};

// One batch_input for requests that bring its source in `shapes`, batch dimension included; `datatype` INT32 or FP32.
// Counts are per request and include the batch dimension; item shapes are without it, once for each row.
// kMaxElementCountAsShape says what it says by its shape; its elements are zeros. INVALID_ARGUMENT: a number does not
// fit in INT32, or the tensor would pass kGeneratedBytesMax.
base::Result<GeneratedTensor> MakeBatchInput(config::BatchInputKind kind, tensor::DataType datatype,
                                             std::span<const tensor::Shape> shapes);

// BATCH_SCATTER_WITH_INPUT_SHAPE: the shape of a request's share of an output that is configured as `expected` (batch
// dimension included): dimensions of any size are those that `source` has at the same place, or all of them if the
// ranks differ.
tensor::Shape ScatteredShape(const tensor::Shape& expected, const tensor::Shape& source);

}  // namespace inferd::scheduling
