#pragma once

#include "base/status.h"
#include "serving/core/model/model_signature.h"

namespace inferd::core {

// ModelTensorReshape: clients see TensorSpec::shape, the engine sees TensorSpec::reshape behind the batch dimension.
// The dimensions of any size are the same ones, in order. Pure functions; `spec` has a reshape that CheckReshape()
// accepts.

// INVALID_ARGUMENT: the two differ in how many dimensions are of any size.
base::Status CheckReshape(const TensorSpec& spec, bool batches);

// What the engine sees of a tensor that clients see as `client`, which matches spec.shape.
tensor::Shape EngineShape(const TensorSpec& spec, const tensor::Shape& client, bool batches);

// The way back. INTERNAL: `engine` is no shape that the engine may give.
base::Result<tensor::Shape> ClientShape(const TensorSpec& spec, const tensor::Shape& engine, bool batches);

}  // namespace inferd::core
