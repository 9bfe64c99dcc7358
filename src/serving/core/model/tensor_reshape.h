#pragma once

#include "base/status.h"
#include "serving/core/model/model_signature.h"

namespace inferd::core {

// ModelTensorReshape: clients see TensorSpec::shape, and the engine sees TensorSpec::reshape after the batch dimension.
// Both have the same variable dimensions, in the same order. Pure functions; `spec` has a reshape that CheckReshape()
// accepts.

// Checks `spec.reshape`. INVALID_ARGUMENT if the two shapes have different numbers of variable dimensions.
base::Status CheckReshape(const TensorSpec& spec, bool batches);

// Returns the engine's shape of a tensor that has the shape `client`, which matches spec.shape, for clients.
tensor::Shape EngineShape(const TensorSpec& spec, const tensor::Shape& client, bool batches);

// Returns the clients' shape of a tensor that the engine returned. INTERNAL if `engine` is not an allowed shape.
base::Result<tensor::Shape> ClientShape(const TensorSpec& spec, const tensor::Shape& engine, bool batches);

}  // namespace inferd::core
