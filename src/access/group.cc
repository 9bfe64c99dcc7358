#include "access/group.h"

#include <algorithm>

namespace inferd::access {

namespace {

struct Method {
  std::string_view name;
  Group group;
};

constexpr Method kInferenceMethods[] = {
    {"ServerLive", Group::kHealth},
    {"ServerReady", Group::kHealth},
    {"ModelReady", Group::kHealth},
    {"ServerMetadata", Group::kMetadata},
    {"ModelMetadata", Group::kMetadata},
    {"ModelInfer", Group::kInference},
    {"ModelStreamInfer", Group::kInference},
    {"ModelConfig", Group::kModelConfig},
    {"ModelStatistics", Group::kStatistics},
    {"RepositoryIndex", Group::kModelRepository},
    {"RepositoryModelLoad", Group::kModelRepository},
    {"RepositoryModelUnload", Group::kModelRepository},
    {"SystemSharedMemoryStatus", Group::kSharedMemory},
    {"SystemSharedMemoryRegister", Group::kSharedMemory},
    {"SystemSharedMemoryUnregister", Group::kSharedMemory},
    {"CudaSharedMemoryStatus", Group::kSharedMemory},
    {"CudaSharedMemoryRegister", Group::kSharedMemory},
    {"CudaSharedMemoryUnregister", Group::kSharedMemory},
    {"TraceSetting", Group::kTrace},
    {"LogSettings", Group::kLogging},
};

}  // namespace

std::optional<Group> GroupOfGrpcMethod(std::string_view path) {
  if (path.starts_with("/grpc.health.v1.Health/")) return Group::kHealth;
  // What there is to call is metadata too.
  if (path.starts_with("/grpc.reflection.")) return Group::kMetadata;
  constexpr std::string_view kService = "/inference.GRPCInferenceService/";
  if (!path.starts_with(kService)) return std::nullopt;
  const auto method = std::ranges::find(kInferenceMethods, path.substr(kService.size()), &Method::name);
  if (method == std::end(kInferenceMethods)) return std::nullopt;
  return method->group;
}

}  // namespace inferd::access
