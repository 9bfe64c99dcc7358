#include "kserve/node/agent_variables.h"

#include "kserve/model/api/annotations.h"

namespace inferd::node {

namespace {

constexpr int64_t kUsPerMs = 1000;

using Variables = std::vector<std::string>;

void AddLogger(const model::ResolvedPod& pod, Variables& variables) {
  const auto& logger = pod.extension.logger;
  if (!logger.has_value() || !logger->url.has_value()) return;
  const std::string prefix = "INFERD_PAYLOAD_LOG_";
  const auto label = [&pod](const std::string& key) {
    const auto found = pod.labels.find(key);
    return found == pod.labels.end() ? std::string() : found->second;
  };
  variables.push_back(prefix + "URL=" + *logger->url);
  if (!logger->mode.empty()) variables.push_back(prefix + "MODE=" + logger->mode);
  variables.push_back(prefix + "INFERENCE_SERVICE=" + label(model::kInferenceServiceLabel));
  variables.push_back(prefix + "NAMESPACE=" + pod.namespace_name);
  variables.push_back(prefix + "COMPONENT=" + label(model::kComponentLabel));
}

// The server batches requests anyway. These variables set its limits.
void AddBatcher(const model::ResolvedPod& pod, Variables& variables) {
  const auto& batcher = pod.extension.batcher;
  if (!batcher.has_value()) return;
  if (batcher->max_batch_size.has_value()) {
    variables.push_back("INFERD_DEFAULT_MAX_BATCH_SIZE=" + std::to_string(*batcher->max_batch_size));
  }
  if (batcher->max_latency_ms.has_value()) {
    variables.push_back("INFERD_DEFAULT_BATCH_DELAY_US=" + std::to_string(*batcher->max_latency_ms * kUsPerMs));
  }
}

}  // namespace

std::vector<std::string> AgentVariables(const model::ResolvedPod& pod) {
  Variables variables;
  AddLogger(pod, variables);
  AddBatcher(pod, variables);
  return variables;
}

}  // namespace inferd::node
