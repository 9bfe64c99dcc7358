#include "kserve/node/agent_process.h"

#include <filesystem>
#include <iterator>
#include <utility>
#include <vector>

#include "kserve/model/api/annotations.h"

namespace inferd::node {

namespace {

bool HasLogger(const model::ResolvedPod& pod) {
  return pod.extension.logger.has_value() && pod.extension.logger->url.has_value();
}

void AddLoggerOptions(const model::ResolvedPod& pod, std::vector<std::string>& words) {
  const auto& logger = *pod.extension.logger;
  const auto label = [&pod](const std::string& key) {
    const auto found = pod.labels.find(key);
    return found == pod.labels.end() ? std::string() : found->second;
  };
  words.insert(words.end(), {"--log-url", *logger.url, "--namespace", pod.namespace_name, "--inference-service",
                             label(model::kInferenceServiceLabel), "--component", label(model::kComponentLabel)});
  if (!logger.mode.empty()) words.insert(words.end(), {"--log-mode", logger.mode});
}

void AddBatcherOptions(const model::ResolvedPod& pod, std::vector<std::string>& words) {
  const auto& batcher = *pod.extension.batcher;
  words.emplace_back("--enable-batcher");
  if (batcher.max_batch_size.has_value()) {
    words.insert(words.end(), {"--max-batchsize", std::to_string(*batcher.max_batch_size)});
  }
  if (batcher.max_latency_ms.has_value()) {
    words.insert(words.end(), {"--max-latency", std::to_string(*batcher.max_latency_ms)});
  }
}

}  // namespace

bool WantsAgent(const model::ResolvedPod& pod, const ProcessSpec& spec) {
  if (std::filesystem::path(spec.program).filename() == "inferd") return false;
  return HasLogger(pod) || pod.extension.batcher.has_value();
}

base::Result<ProcessSpec> BehindAgent(ProcessSpec spec, const model::ResolvedPod& pod, const std::string& agent,
                                      const std::function<base::Result<uint16_t>()>& take_port) {
  INFERD_ASSIGN_OR_RETURN(const uint16_t port, take_port());
  // No drain delay: the gateway stops the agent only when it has no more requests.
  std::vector<std::string> words = {"--address",        "127.0.0.1",
                                    "--port",           std::to_string(port),
                                    "--component-port", std::to_string(spec.port),
                                    "--metrics-port",   "0",
                                    "--drain-grace-ms", "0"};
  if (HasLogger(pod)) AddLoggerOptions(pod, words);
  if (pod.extension.batcher.has_value()) AddBatcherOptions(pod, words);
  words.insert(words.end(), {"--", spec.program});
  std::ranges::move(spec.arguments, std::back_inserter(words));
  spec.program = agent;
  spec.arguments = std::move(words);
  if (pod.extension.timeout_s.has_value()) {
    spec.environment.push_back("REVISION_TIMEOUT_SECONDS=" + std::to_string(*pod.extension.timeout_s));
  }
  if (spec.grpc_port == spec.port) spec.grpc_port = port;
  spec.port = port;
  return spec;
}

}  // namespace inferd::node
