#pragma once

#include <ATen/core/ivalue.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "base/status.h"
#include "engines/kit/batch_answer.h"
#include "engines/torch/torch_model.h"

namespace inferd::torchscript {

// Executes batches. One Execute() at a time.
class TorchInstance final {
 public:
  static base::Result<std::unique_ptr<TorchInstance>> Create(const TorchModel* model);

  // Answers every request of the batch, or returns the status for all of them.
  base::Status Execute(const inferd_batch& batch);

 private:
  TorchInstance(const TorchModel* model, std::shared_ptr<const ModelFunction> function);

  base::Result<c10::IValue> Compute(const inferd_batch& batch);
  base::Result<std::vector<c10::IValue>> Arguments(const inferd_batch& batch) const;
  base::Status FillOutputs(const inferd_batch& batch, const c10::IValue& answer);
  base::Status FillOutput(const inferd_batch& batch, uint32_t index, const c10::IValue& answer, inferd_output* output);
  base::Status FillStrings(const inferd_batch& batch, const OutputTensor& tensor, const c10::IValue& part,
                           inferd_output* output);
  void FillTensor(const inferd_batch& batch, at::Tensor tensor, inferd_output* output);

  const TorchModel* const model_;
  const std::shared_ptr<const ModelFunction> function_;
  std::vector<std::vector<int64_t>> shapes_;  // of the current call's outputs
  std::vector<at::Tensor> copied_;            // its outputs whose memory the host copies
  kit::BatchAnswer answer_;
};

}  // namespace inferd::torchscript
