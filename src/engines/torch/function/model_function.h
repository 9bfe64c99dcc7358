#pragma once

#include <ATen/core/ivalue.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "engines/torch/function/forward_schema.h"

namespace inferd::torchscript {

// The function that an execution calls: a method of a TorchScript file, or a package's compiled function.
class ModelFunction {
 public:
  virtual ~ModelFunction() = default;

  virtual const MethodSchema& schema() const = 0;
  // Returns true if a call may write to the elements of that argument.
  virtual bool may_write(size_t argument) const = 0;
  // Returns the value of an argument that a call leaves out.
  virtual c10::IValue default_of(size_t argument) const = 0;
  // Returns true if an output may be memory that the function reuses for the next call or frees at its own end.
  virtual bool keeps_answers() const = 0;

  // Returns a copy with its own state, for an instance. Null if instances share this one and may call it concurrently.
  // Throws the library's exceptions.
  virtual std::shared_ptr<const ModelFunction> CopyForInstance() const = 0;

  // Takes one value for each argument. Throws the library's exceptions.
  virtual c10::IValue Call(std::vector<c10::IValue> arguments) const = 0;
};

}  // namespace inferd::torchscript
