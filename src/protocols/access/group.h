#pragma once

#include <cstddef>
#include <cstdint>

namespace inferd::access {

// Groups of endpoints that are restricted together, the same over HTTP and gRPC.
enum class Group : uint8_t {
  kHealth,
  kMetadata,
  kInference,
  kSharedMemory,
  kModelConfig,
  kModelRepository,
  kStatistics,
  kTrace,
  kLogging,
  kMetrics,  // the page of metrics
};

inline constexpr size_t kGroupCount = 10;

}  // namespace inferd::access
