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

// A method of a TorchScript file's module. Instances have copies where its weights are not constants of the graph.
class LoadedMethod final : public ModelFunction {
 public:
  // Throws what the library throws. INVALID_ARGUMENT: the module has no such method.
  static base::Result<LoadedMethod> Load(const std::string& path, const LoadSettings& settings);

  // Adds to the schema what a traced method was traced with. Takes another load of the file.
  void AddExample(const std::string& path);

  // Why its weights are not constants, although they were to be; empty: that is not so.
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
  bool constant_ = false;  // nothing that a call does stays for the next one
  std::string why_not_frozen_;
};

}  // namespace inferd::torchscript
