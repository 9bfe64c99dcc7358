#pragma once

#include <memory>
#include <openvino/runtime/infer_request.hpp>
#include <vector>

#include "base/status.h"
#include "engines/kit/batch_answer.h"
#include "engines/openvino/ov_model.h"

namespace inferd::openvino {

// Executes batches with a request of OpenVINO's own, which keeps what it computes in. One Execute() at a time.
class OvInstance final {
 public:
  static base::Result<std::unique_ptr<OvInstance>> Create(OvModel* model);

  // Answers every request of the batch, or returns what all of them are to be answered.
  base::Status Execute(const inferd_batch& batch);

 private:
  OvInstance(OvModel* model, ov::InferRequest request);

  base::Status Compute(const inferd_batch& batch);
  void SetInput(const inferd_input& input);
  void FillOutput(size_t position, uint32_t index, inferd_output* output);

  OvModel* const model_;
  ov::InferRequest request_;
  std::vector<std::vector<int64_t>> shapes_;  // of the current call's outputs
  std::vector<ov::Tensor> results_;           // the same
  kit::BatchAnswer answer_;
};

}  // namespace inferd::openvino
