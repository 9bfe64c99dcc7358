#include "serving/core/model/tensor_reshape.h"

#include <algorithm>
#include <string>

namespace inferd::core {

namespace {

// Returns the engine's shape, with the batch dimension.
tensor::Shape FullReshape(const TensorSpec& spec, bool batches) {
  tensor::Shape full = *spec.reshape;
  if (batches) full.Prepend(-1);
  return full;
}

auto VariableDims(const tensor::Shape& shape) { return std::ranges::count(shape.dims(), -1); }

// Returns `to`, with each -1 replaced by the size in `actual` at the corresponding -1 of `from`.
tensor::Shape Filled(const tensor::Shape& to, const tensor::Shape& from, const tensor::Shape& actual) {
  tensor::Shape filled = to;
  size_t at = 0;
  for (size_t i = 0; i < to.rank(); ++i) {
    if (to[i] != -1) continue;
    while (from[at] != -1) ++at;
    filled[i] = actual[at++];
  }
  return filled;
}

}  // namespace

base::Status CheckReshape(const TensorSpec& spec, bool batches) {
  if (VariableDims(spec.shape) == VariableDims(FullReshape(spec, batches))) return base::OkStatus();
  return base::InvalidArgument("tensor '" + spec.name +
                               "' has different number of variable-size dimensions for dims and reshape");
}

tensor::Shape EngineShape(const TensorSpec& spec, const tensor::Shape& client, bool batches) {
  return Filled(FullReshape(spec, batches), spec.shape, client);
}

base::Result<tensor::Shape> ClientShape(const TensorSpec& spec, const tensor::Shape& engine, bool batches) {
  const tensor::Shape expected = FullReshape(spec, batches);
  if (!tensor::Matches(expected, engine)) {
    return std::unexpected(base::Internal("the engine returned output '" + spec.name + "' with shape " +
                                          engine.ToString() + ", expected " + expected.ToString()));
  }
  return Filled(spec.shape, expected, engine);
}

}  // namespace inferd::core
