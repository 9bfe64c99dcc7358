#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/model/model_config.h"

// Fields that only few parts of the server need, read from a configuration's whole message (ModelConfig::document). A
// configuration without a document has none of them.

namespace inferd::config {

// Returns true if the configuration enables the response cache: response_cache { enable: true }.
bool WantsResponseCache(const ModelConfig& config);

// optimization { input_pinned_memory output_pinned_memory }: whether inputs and outputs of instances on GPUs are copied
// through pinned memory.
struct PinnedMemory {
  bool inputs = true;
  bool outputs = true;
};
PinnedMemory PinnedMemoryOf(const ModelConfig& config);

// model_metrics: the upper bounds of histograms' buckets, by family.
using HistogramBuckets = std::map<std::string, std::vector<double>, std::less<>>;
HistogramBuckets HistogramBucketsOf(const ModelConfig& config);

// The families of histograms for which model_metrics may have buckets.
inline constexpr std::string_view kBatchSizeFamily = "inferd_inference_batch_size";
inline constexpr std::string_view kRequestSecondsFamily = "inferd_inference_request_duration_seconds";
inline constexpr std::string_view kFirstResponseSecondsFamily = "inferd_inference_first_response_duration_seconds";
inline constexpr std::string_view kFirstResponseMsFamily = "nv_inference_first_response_histogram_ms";
inline constexpr std::string_view kNextResponseSecondsFamily = "inferd_inference_response_interval_seconds";
inline constexpr std::string_view kBucketFamilies[] = {kBatchSizeFamily, kRequestSecondsFamily,
                                                       kFirstResponseSecondsFamily, kFirstResponseMsFamily,
                                                       kNextResponseSecondsFamily};

// model_repository_agents' agent `checksum`: the expected digests of a model's files, in the files' order.
struct FileChecksum {
  std::string algorithm;  // "MD5", "SHA256" or "SHA512"
  std::string file;       // relative to the model's folder: "1/model.onnx"
  std::string digest;     // hexadecimal

  bool operator==(const FileChecksum&) const = default;
};
std::vector<FileChecksum> FileChecksumsOf(const ModelConfig& config);

inline constexpr std::string_view kChecksumAgent = "checksum";

}  // namespace inferd::config
