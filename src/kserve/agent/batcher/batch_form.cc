#include "kserve/agent/batcher/batch_form.h"

namespace inferd::agent {

const BatchForm* FindBatchForm(const net::RequestHead& head) {
  const auto& path = head.segments;
  if (head.method != net::Method::kPost || path.empty() || head.Find("Content-Encoding").has_value()) return nullptr;
  if (path.back().ends_with(":predict")) return head.Find("Ce-Specversion").has_value() ? nullptr : &PredictForm();
  // With this header, raw tensor bytes follow the JSON, so the body is no JSON text.
  const bool infers = path.size() >= 4 && path[0] == "v2" && path[1] == "models" && path.back() == "infer";
  return infers && !head.Find("Inference-Header-Content-Length").has_value() ? &TensorForm() : nullptr;
}

}  // namespace inferd::agent
