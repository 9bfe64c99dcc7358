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

// The names of tensors in a request against those of a model's signature, in TensorFlow Serving's words.

namespace inferd::tfs {

// `sent`: the inputs of a request. INVALID_ARGUMENT: others than the signature's, or too few; optional ones may be
// missing.
base::Status CheckInputAliases(const std::set<std::string_view>& sent, const core::ModelSignature& signature);

// An output that a filter asks for. INVALID_ARGUMENT: the signature has none of that name, or it is asked for already.
base::Status CheckOutputAlias(std::string_view alias, std::span<const core::RequestedOutput> before,
                              const core::ModelSignature& signature);

// Returns the error for an input of another datatype than the signature's: INVALID_ARGUMENT. `input`: its place there.
base::Status WrongDatatype(const core::ModelSignature& signature, size_t input, tensor::DataType got);

}  // namespace inferd::tfs
