#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "inferd/engine_abi.h"

// The arguments and results of a model's method, as far as TorchScript states them, and their mapping to a
// configuration's tensors.

namespace inferd::torchscript {

enum class ValueKind {
  kTensor,
  kStrings,  // List[str]
  kInt,
  kFloat,
  kBool,
  kOther,  // cannot be served
};

struct MethodArgument {
  std::string name = {};
  std::string type = {};  // TorchScript's spelling: "Optional[Tensor]"
  ValueKind kind = ValueKind::kTensor;
  bool optional = false;  // has a default, or may be None
  // For a traced method, the properties of its example.
  int32_t datatype = INFERD_TYPE_INVALID;
  std::vector<int64_t> example = {};
};

struct MethodSchema {
  std::vector<MethodArgument> arguments = {};
  bool takes_dict = false;  // its only argument is a Dict[str, Tensor], whose keys are the inputs' names
  bool gives_dict = false;
  size_t result_count = 0;                     // 0 if only a result tells
  std::vector<std::string> result_names = {};  // of a NamedTuple
  bool flattens = true;  // tuples and lists inside the result count as its parts, one after the other
};

// The position of an output in a method's result: an index in a tuple or list (0 for anything else), or a dict's key.
// Indices count through nested tuples (MethodSchema::flattens).
struct ResultPlace {
  size_t position = 0;
  std::string key = {};
};

// Returns the argument index of each input, for inputs of these names. Each has an argument's name, or ends in "__" and
// the argument's index ("INPUT__0"). If one of them does neither, they are the arguments in their order.
// INVALID_ARGUMENT if there is no such argument, two inputs are one argument, or an argument without a default has no
// input.
base::Result<std::vector<size_t>> BindInputs(const std::vector<std::string>& names, const MethodSchema& schema);

// Does the same for outputs: all have names of a NamedTuple's fields or of a dict's keys, or end in "__" and an index;
// else they are the result's parts in their order. INVALID_ARGUMENT if the result has no such part.
base::Result<std::vector<ResultPlace>> BindOutputs(const std::vector<std::string>& names, const MethodSchema& schema);

}  // namespace inferd::torchscript
