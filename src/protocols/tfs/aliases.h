#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "data/tensor/data_type.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"

// Comparison of the tensor names in a request with those of a model's signature, in TensorFlow Serving's words.

namespace inferd::tfs {

// `sent` has the inputs of a request. INVALID_ARGUMENT if inputs are unknown or missing; optional ones may be missing.
base::Status CheckInputAliases(const std::set<std::string_view>& sent, const core::ModelSignature& signature);

// Checks an output that a filter requests. INVALID_ARGUMENT if the signature has no such output, or it is repeated.
base::Status CheckOutputAlias(std::string_view alias, std::span<const core::RequestedOutput> before,
                              const core::ModelSignature& signature);

// Returns INVALID_ARGUMENT for an input of another datatype than the signature's. `input` is its index there.
base::Status WrongDatatype(const core::ModelSignature& signature, size_t input, tensor::DataType got);

}  // namespace inferd::tfs
