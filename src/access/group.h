#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace inferd::access {

// Endpoints that are restricted together, the same over HTTP and gRPC.
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

// Of "/package.Service/Method"; nullopt: no method of a service that this server has.
std::optional<Group> GroupOfGrpcMethod(std::string_view path);

// Whether such a method may change what the server does; see Policy::CheckControl. A method that sets and shows counts.
bool IsControlMethod(std::string_view path);

}  // namespace inferd::access
