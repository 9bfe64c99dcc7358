#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "protocols/tfs/request_metrics.h"
#include "serving/core/request/infer_request.h"

namespace inferd::tfs {

// Collects the measurements of an inference; a front-end reports each step. Not thread-safe.
class MeasuredInference final {
 public:
  MeasuredInference(Api api, int64_t received_ns) : api_(api), received_ns_(received_ns) {}

  void OnDispatch(const core::InferRequest& request, int64_t now_ns) {
    if (!request.inputs.empty() && request.inputs[0].shape.rank() > 0) rows_ = request.inputs[0].shape[0];
    dispatched_ns_ = now_ns;
  }
  void OnFinal(int64_t now_ns) { runtime_ns_ = now_ns - dispatched_ns_; }

  // Call at its end. `model` must be one that the server has.
  void Count(RequestMetrics& metrics, std::string_view model, base::StatusCode code, int64_t now_ns) const {
    metrics.Count(model, api_, code, now_ns - received_ns_);
    if (code == base::StatusCode::kOk) metrics.CountRuntime(model, api_, runtime_ns_);
    const bool has_examples = api_ != Api::kPredict && api_ != Api::kSessionRun;
    if (dispatched_ns_ != 0 && has_examples) metrics.CountExamples(model, rows_);
  }

 private:
  const Api api_;
  const int64_t received_ns_;
  int64_t dispatched_ns_ = 0;  // 0 if it was not dispatched
  int64_t runtime_ns_ = 0;     // from dispatch to the response
  int64_t rows_ = 0;           // of its first input
};

}  // namespace inferd::tfs
