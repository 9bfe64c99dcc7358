#include "config/model/document_fields.h"

#include <algorithm>
#include <tuple>

#include "config/model/model_config_message.h"

namespace inferd::config {

namespace {

const inference::ModelConfig& MessageOf(const ModelConfig& config) {
  return config.document == nullptr ? inference::ModelConfig::default_instance() : config.document->message().proto;
}

}  // namespace

bool WantsResponseCache(const ModelConfig& config) { return MessageOf(config).response_cache().enable(); }

PinnedMemory PinnedMemoryOf(const ModelConfig& config) {
  const auto& optimization = MessageOf(config).optimization();
  return {.inputs = !optimization.has_input_pinned_memory() || optimization.input_pinned_memory().enable(),
          .outputs = !optimization.has_output_pinned_memory() || optimization.output_pinned_memory().enable()};
}

HistogramBuckets HistogramBucketsOf(const ModelConfig& config) {
  HistogramBuckets buckets;
  for (const auto& control : MessageOf(config).model_metrics().metric_control()) {
    const auto& bounds = control.histogram_options().buckets();
    buckets[control.metric_identifier().family()] = {bounds.begin(), bounds.end()};
  }
  return buckets;
}

std::vector<FileChecksum> FileChecksumsOf(const ModelConfig& config) {
  std::vector<FileChecksum> checksums;
  for (const auto& agent : MessageOf(config).model_repository_agents().agents()) {
    if (agent.name() != kChecksumAgent) continue;
    for (const auto& [key, digest] : agent.parameters()) {
      const size_t colon = key.find(':');
      if (colon == std::string::npos) continue;
      checksums.push_back({.algorithm = key.substr(0, colon), .file = key.substr(colon + 1), .digest = digest});
    }
  }
  std::ranges::sort(checksums, {}, [](const FileChecksum& each) { return std::tie(each.file, each.algorithm); });
  return checksums;
}

}  // namespace inferd::config
