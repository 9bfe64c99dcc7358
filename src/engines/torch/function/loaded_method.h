#pragma once

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/api/module.h>

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "engines/torch/function/load_settings.h"
#include "engines/torch/function/model_function.h"

namespace inferd::torchscript {

// A method of a TorchScript file's module. Instances have copies if its weights are not constants of the graph.
class LoadedMethod final : public ModelFunction {
 public:
  // Throws the library's exceptions. INVALID_ARGUMENT if the module has no such method.
  static base::Result<LoadedMethod> Load(const std::string& path, const LoadSettings& settings);

  // Adds the example of a traced method to the schema. Loads the file again.
  void AddExample(const std::string& path);

  // Returns why its weights are not constants, although they should be. Empty if that is not the case.
  const std::string& why_not_frozen() const { return why_not_frozen_; }

  const MethodSchema& schema() const override { return schema_; }
  bool may_write(size_t argument) const override { return writes_[argument]; }
  c10::IValue default_of(size_t argument) const override { return defaults_[argument]; }
  bool keeps_answers() const override { return !constant_; }
  std::shared_ptr<const ModelFunction> CopyForInstance() const override;
  c10::IValue Call(std::vector<c10::IValue> arguments) const override;

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
  bool constant_ = false;  // true if calls leave no state behind
  std::string why_not_frozen_;
};

}  // namespace inferd::torchscript
