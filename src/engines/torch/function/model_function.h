#pragma once

#include <ATen/core/ivalue.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "engines/torch/function/forward_schema.h"

namespace inferd::torchscript {

// What an execution calls: a method of a TorchScript file, or a package's compiled function.
class ModelFunction {
 public:
  virtual ~ModelFunction() = default;

  virtual const MethodSchema& schema() const = 0;
  // Whether a call may write to that argument's elements.
  virtual bool may_write(size_t argument) const = 0;
  // What an argument is that a call leaves out.
  virtual c10::IValue default_of(size_t argument) const = 0;
  // Whether an answer may be memory that is kept for the next call, or that ends with the function.
  virtual bool keeps_answers() const = 0;

  // One with state of its own, for an instance; null: instances share this one, and their calls may run beside each
  // other. Throws what the library throws.
  virtual std::shared_ptr<const ModelFunction> CopyForInstance() const = 0;

  // One value for each argument. Throws what the library throws.
  virtual c10::IValue Call(std::vector<c10::IValue> arguments) const = 0;
};

}  // namespace inferd::torchscript
