#pragma once

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "base/status.h"
#include "engines/torch/forward_schema.h"
#include "engines/torch/load_settings.h"

namespace inferd::torchscript {

// A method of a TorchScript file's module. Calls may run beside each other if it is constant; else each thread needs a
// Copy() of its own.
class LoadedMethod final {
 public:
  // Throws what the library throws. INVALID_ARGUMENT: the module has no such method.
  static base::Result<LoadedMethod> Load(const std::string& path, const LoadSettings& settings);

  // What the library says of it, and, of a traced one, what it was traced with. The latter takes another load of the
  // file.
  const MethodSchema& schema() const { return schema_; }
  void AddExample(const std::string& path);

  // Whether nothing that a call does stays for the next one: all weights are constants of the graph.
  bool is_constant() const { return constant_; }
  // Why its weights are not constants, although they were to be; empty: that is not so.
  const std::string& why_not_frozen() const { return why_not_frozen_; }
  // With weights and state of its own.
  LoadedMethod Copy() const;

  // Whether the method may write to that argument's elements.
  bool may_write(size_t argument) const { return writes_[argument]; }
  // What an argument is that a call leaves out.
  const c10::IValue& default_of(size_t argument) const { return defaults_[argument]; }

  // Throws. One value for each argument.
  c10::IValue Call(std::vector<c10::IValue> arguments) const;

 private:
  LoadedMethod(torch::jit::Module module, const LoadSettings& settings);

  void ReadSchema();
  void MakeExecutor() const;

  torch::jit::Module module_;
  torch::jit::Method method_;
  LoadSettings settings_;
  MethodSchema schema_;
  std::vector<bool> writes_;
  std::vector<c10::IValue> defaults_;
  bool constant_ = false;
  std::string why_not_frozen_;
};

}  // namespace inferd::torchscript
