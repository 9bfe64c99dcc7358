#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "inferd/engine_abi.h"

// What a model's method takes and gives, as far as TorchScript says it, and which of it a configuration's tensors are.

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
  std::string type = {};  // as TorchScript writes it: "Optional[Tensor]"
  ValueKind kind = ValueKind::kTensor;
  bool optional = false;  // has a default, or may be None
  // Of a traced method, the example's that it was traced with.
  int32_t datatype = INFERD_TYPE_INVALID;
  std::vector<int64_t> example = {};
};

struct MethodSchema {
  std::vector<MethodArgument> arguments = {};
  bool takes_dict = false;  // its one argument is a Dict[str, Tensor], whose keys are the inputs' names
  bool gives_dict = false;
  size_t result_count = 0;                     // 0: only the answer tells
  std::vector<std::string> result_names = {};  // of a NamedTuple
  bool flattens = true;  // tuples and lists inside the answer are parts of it, one after the other
};

// Where an output lies in a method's answer: at a place of a tuple or list (0 of anything else), or by a dict's key.
// Places count through tuples inside tuples (MethodSchema::flattens).
struct ResultPlace {
  size_t position = 0;
  std::string key = {};
};

// The argument of each input, by its position, for inputs of these names: each is called as an argument, or ends in
// "__" and the argument's position ("INPUT__0"); where one of them is neither, they are the arguments in their order.
// INVALID_ARGUMENT: there is no such argument, two inputs are one argument, or an argument without a default has no
// input.
base::Result<std::vector<size_t>> BindInputs(const std::vector<std::string>& names, const MethodSchema& schema);

// The same of outputs: all are called as the fields of a NamedTuple or the keys of a dict, or end in "__" and a
// position; else they are the answer's parts in their order. INVALID_ARGUMENT: the answer has no such part.
base::Result<std::vector<ResultPlace>> BindOutputs(const std::vector<std::string>& names, const MethodSchema& schema);

}  // namespace inferd::torchscript
