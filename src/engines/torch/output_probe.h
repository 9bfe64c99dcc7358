#pragma once

#include <vector>

#include "base/status.h"
#include "engines/kit/tensor_signature.h"
#include "engines/torch/function/model_function.h"

namespace inferd::torchscript {

// What a method answers to zeros, for a model whose configuration does not list its outputs: names, datatypes, and
// shapes, in which -1 stands wherever the inputs' dimensions of any size might show. `inputs` belong to the arguments
// of those positions. INVALID_ARGUMENT: it fails on zeros, or its answer cannot be served. May throw what the library
// throws.
base::Result<std::vector<kit::TensorDescription>> ProbeOutputs(const ModelFunction& method,
                                                               const std::vector<kit::TensorDescription>& inputs,
                                                               const std::vector<size_t>& arguments);

}  // namespace inferd::torchscript
