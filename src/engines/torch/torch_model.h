#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "engines/torch/function/model_function.h"
#include "engines/torch/torch_signature.h"
#include "inferd/engine_abi.h"

namespace inferd::torchscript {

// A TorchScript file or an AOTInductor package. Instances share the weights if executions leave no state behind. They
// have copies if a TorchScript model keeps a state. Thread-safe.
class TorchModel final {
 public:
  // NOT_FOUND if there is no model file. INVALID_ARGUMENT if libtorch cannot read it, or it does not fit its
  // configuration. UNIMPLEMENTED if it is of an unsupported kind.
  static base::Result<std::unique_ptr<TorchModel>> Load(const inferd_host* host, const inferd_load& load);

  const inferd_host& host() const { return *host_; }
  const TorchSignature& tensors() const { return signature_; }
  const inferd_signature* signature() const { return signature_.abi(); }
  int compute_threads() const { return compute_threads_; }

  // Returns the function for an instance. Throws the library's exceptions.
  std::shared_ptr<const ModelFunction> FunctionForInstance() const;

 private:
  TorchModel(const inferd_host* host, std::shared_ptr<const ModelFunction> function, TorchSignature signature,
             int compute_threads)
      : host_(host),
        function_(std::move(function)),
        signature_(std::move(signature)),
        compute_threads_(compute_threads) {}

  const inferd_host* host_;
  const std::shared_ptr<const ModelFunction> function_;
  const TorchSignature signature_;
  const int compute_threads_;
};

}  // namespace inferd::torchscript
