#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "engines/kit/tensor_signature.h"
#include "engines/torch/function/forward_schema.h"
#include "engines/torch/function/model_function.h"
#include "inferd/engine_abi.h"

namespace inferd::torchscript {

struct InputTensor {
  std::string name;
  size_t argument = 0;
  ValueKind kind = ValueKind::kTensor;
};

struct OutputTensor {
  std::string name;
  ResultPlace place;
  int32_t datatype = INFERD_TYPE_INVALID;
  size_t rank = 0;  // as declared
};

// A model's inputs and outputs. They come from the configuration, since the file has neither datatypes nor shapes. If
// the configuration says nothing, they come from the example with which the method was traced, and from an execution on
// zeros. Immutable.
class TorchSignature final {
 public:
  // INVALID_ARGUMENT if the configuration does not fit the method, or lacks required settings. May throw the library's
  // exceptions.
  static base::Result<TorchSignature> Make(const inferd_load& load, const ModelFunction& method, int compute_threads);

  const std::vector<InputTensor>& inputs() const { return inputs_; }
  const std::vector<OutputTensor>& outputs() const { return outputs_; }
  const inferd_signature* abi() const { return abi_.abi(); }

 private:
  TorchSignature() = default;

  base::Status AddInputs(std::vector<kit::TensorDescription> tensors, const MethodSchema& schema);
  base::Status AddOutputs(std::vector<kit::TensorDescription> tensors, const MethodSchema& schema);

  std::vector<InputTensor> inputs_;
  std::vector<OutputTensor> outputs_;
  kit::TensorSignature abi_;
};

}  // namespace inferd::torchscript
