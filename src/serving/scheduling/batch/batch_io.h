#pragma once

#include <span>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "config/model/model_config.h"
#include "serving/core/model/model_signature.h"

namespace inferd::scheduling {

// Ragged batching (Triton's user guide, "Ragged Batching"). For an input with allow_ragged_batch, the engine gets all
// elements of all requests as one row. A batch_input tells the engine which elements belong to which request. A
// batch_output divides such a row among the requests again.

// The maximum bytes of one batch_input.
inline constexpr size_t kGeneratedBytesMax = size_t{1} << 30;

// The additional inputs and outputs of a batch, and how they are made, from the model's configuration. Immutable.
struct BatchPlan {
  struct Generated {
    int engine_input = 0;  // index in the engine's own signature
    config::BatchInputKind kind = config::BatchInputKind::kElementCount;
    tensor::DataType datatype = tensor::DataType::kInt32;
    int source = 0;  // the signature's input
  };
  std::vector<Generated> generated;
  // Per output of the signature: the input whose shapes divide it. -1 if it is split by rows. Empty if all are -1.
  std::vector<int> scatter_sources;

  int ScatterSource(int output) const { return scatter_sources.empty() ? -1 : scatter_sources[output]; }
};

// Makes the plan. INVALID_ARGUMENT if a source, target or datatype is not possible.
base::Result<BatchPlan> MakeBatchPlan(const config::ModelConfig& config, const core::ModelSignature& signature,
                                      const core::ModelSignature& engine);

struct GeneratedTensor {
  tensor::Shape shape;
  base::BufferSlice data;
};

// Makes one batch_input for requests with source tensors of these `shapes`, batch dimension included. `datatype` is
// INT32 or FP32. Counts are per request and include the batch dimension. Item shapes exclude it, and there is one per
// row. kMaxElementCountAsShape tells the engine a number by its shape alone; its elements are zeros. INVALID_ARGUMENT
// if a number does not fit in INT32, or the tensor would exceed kGeneratedBytesMax.
base::Result<GeneratedTensor> MakeBatchInput(config::BatchInputKind kind, tensor::DataType datatype,
                                             std::span<const tensor::Shape> shapes);

// BATCH_SCATTER_WITH_INPUT_SHAPE: returns the shape of a request's share of an output with the configured shape
// `expected` (batch dimension included). Variable dimensions are taken from the same position of `source`, or all
// dimensions if the ranks differ.
tensor::Shape ScatteredShape(const tensor::Shape& expected, const tensor::Shape& source);

}  // namespace inferd::scheduling
