#pragma once

#include <ATen/core/ivalue.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "engines/torch/function/forward_schema.h"
#include "inferd/engine_abi.h"

// Between what requests bring and what TorchScript takes, and back.

namespace inferd::torchscript {

// The value for an argument of that kind. A tensor is the request's own memory, or a copy of it. INVALID_ARGUMENT: a
// scalar or a list of strings cannot have that shape. The library throws where there is no memory.
base::Result<c10::IValue> ToValue(const inferd_input& input, ValueKind kind, bool copy);

// Returns an answer whose parts are no tuples or lists themselves: those inside a tuple or list come in its place, one
// after the other.
c10::IValue Flattened(c10::IValue answer);

// The part of an answer. INVALID_ARGUMENT: the answer has no such part.
base::Result<c10::IValue> FindPart(const c10::IValue& answer, const ResultPlace& place);

// How many parts there are, and how they are called: keys of a dict, else "OUTPUT__0" and on.
base::Result<std::vector<std::string>> NameParts(const c10::IValue& answer,
                                                 const std::vector<std::string>& result_names);

// A part that is a tensor or a number, as dense memory of the CPU. INVALID_ARGUMENT: it is neither.
base::Result<at::Tensor> ToDense(const c10::IValue& part);

// A list of strings, or a string alone.
bool IsStrings(const c10::IValue& part);
std::vector<std::string> ToStrings(const c10::IValue& part);

}  // namespace inferd::torchscript
