#pragma once

#include <ATen/core/ivalue.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "engines/torch/function/forward_schema.h"
#include "inferd/engine_abi.h"

// Conversion between requests' tensors and TorchScript's values.

namespace inferd::torchscript {

// Returns the value for an argument of that kind. A tensor is the request's own memory, or a copy of it.
// INVALID_ARGUMENT if a scalar or a list of strings cannot have that shape. The library throws if there is no memory.
base::Result<c10::IValue> ToValue(const inferd_input& input, ValueKind kind, bool copy);

// Returns a result whose parts are not tuples or lists: those inside a tuple or list are replaced by their parts, one
// after the other.
c10::IValue Flattened(c10::IValue answer);

// Returns a part of a result. INVALID_ARGUMENT if there is no such part.
base::Result<c10::IValue> FindPart(const c10::IValue& answer, const ResultPlace& place);

// Returns the parts' names: keys of a dict, else "OUTPUT__0" and so on.
base::Result<std::vector<std::string>> NameParts(const c10::IValue& answer,
                                                 const std::vector<std::string>& result_names);

// Returns a part that is a tensor or a number as dense CPU memory. INVALID_ARGUMENT if it is neither.
base::Result<at::Tensor> ToDense(const c10::IValue& part);

// Returns true for a list of strings, or a single string.
bool IsStrings(const c10::IValue& part);
std::vector<std::string> ToStrings(const c10::IValue& part);

}  // namespace inferd::torchscript
