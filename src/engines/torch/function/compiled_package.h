#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "engines/torch/function/load_settings.h"
#include "engines/torch/function/model_function.h"

namespace torch::inductor {
class AOTIModelPackageLoader;
}

namespace inferd::torchscript {

// An AOTInductor package (.pt2): a model as native code, which the library opens from a temporary folder. Instances
// share it: the library has one copy of the weights and as many runners as processors, and a call takes a runner.
class CompiledPackage final : public ModelFunction {
 public:
  // Runs the package's code. INVALID_ARGUMENT if the file has no code for this machine, or code of several models.
  // Throws the library's exceptions.
  static base::Result<std::shared_ptr<const ModelFunction>> Load(const std::string& path, const LoadSettings& settings);

  ~CompiledPackage() override;

  const MethodSchema& schema() const override { return schema_; }
  // A package does not state which arguments it writes to.
  bool may_write(size_t /*argument*/) const override { return true; }
  c10::IValue default_of(size_t /*argument*/) const override { return {}; }
  // Its constants are memory of its own.
  bool keeps_answers() const override { return true; }
  std::shared_ptr<const ModelFunction> CopyForInstance() const override { return nullptr; }
  // Returns a tuple of tensors.
  c10::IValue Call(std::vector<c10::IValue> arguments) const override;

 private:
  CompiledPackage(std::unique_ptr<torch::inductor::AOTIModelPackageLoader> loader, MethodSchema schema,
                  bool inference_mode);

  const std::unique_ptr<torch::inductor::AOTIModelPackageLoader> loader_;
  const MethodSchema schema_;
  const bool inference_mode_;
};

}  // namespace inferd::torchscript
