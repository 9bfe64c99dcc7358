#pragma once

#include <memory>
#include <openvino/runtime/infer_request.hpp>
#include <vector>

#include "base/status.h"
#include "engines/kit/batch_answer.h"
#include "engines/openvino/ov_model.h"

namespace inferd::openvino {

// Executes batches with an OpenVINO request of its own, which keeps its working memory. One Execute() at a time.
class OvInstance final {
 public:
  static base::Result<std::unique_ptr<OvInstance>> Create(OvModel* model);

  // Answers every request of the batch, or returns the status for all of them.
  base::Status Execute(const inferd_batch& batch);

 private:
  OvInstance(OvModel* model, ov::InferRequest request);

  base::Status Compute(const inferd_batch& batch);
  void SetInput(const inferd_input& input);
  void FillOutput(size_t position, uint32_t index, inferd_output* output);

  OvModel* const model_;
  ov::InferRequest request_;
  std::vector<std::vector<int64_t>> shapes_;  // of the current call's outputs
  std::vector<ov::Tensor> results_;           // likewise
  kit::BatchAnswer answer_;
};

}  // namespace inferd::openvino
