#pragma once

#include <vector>

#include "base/status.h"
#include "engines/kit/tensor_signature.h"
#include "engines/torch/function/model_function.h"

namespace inferd::torchscript {

// Runs a method on zeros, for a model whose configuration does not list its outputs, and returns their names, datatypes
// and shapes. In the shapes, -1 stands for every dimension that may depend on the inputs' dimensions of any size.
// `inputs` belong to the arguments at those positions. INVALID_ARGUMENT if it fails on zeros, or its result cannot be
// served. May throw the library's exceptions.
base::Result<std::vector<kit::TensorDescription>> ProbeOutputs(const ModelFunction& method,
                                                               const std::vector<kit::TensorDescription>& inputs,
                                                               const std::vector<size_t>& arguments);

}  // namespace inferd::torchscript
