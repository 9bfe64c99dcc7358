#include "access/group.h"

#include <algorithm>
#include <span>

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

// The same groups as over REST.
constexpr Method kTensorflowServingMethods[] = {
    {"PredictionService/Predict", Group::kInference},
    {"PredictionService/Classify", Group::kInference},
    {"PredictionService/Regress", Group::kInference},
    {"PredictionService/MultiInference", Group::kInference},
    {"PredictionService/GetModelMetadata", Group::kMetadata},
    {"ModelService/GetModelStatus", Group::kHealth},
    {"ModelService/HandleReloadConfigRequest", Group::kModelRepository},
    {"SessionService/SessionRun", Group::kInference},
};

std::optional<Group> GroupIn(std::span<const Method> methods, std::string_view name) {
  const auto method = std::ranges::find(methods, name, &Method::name);
  if (method == methods.end()) return std::nullopt;
  return method->group;
}

}  // namespace

std::optional<Group> GroupOfGrpcMethod(std::string_view path) {
  if (path.starts_with("/grpc.health.v1.Health/")) return Group::kHealth;
  // What there is to call is metadata too.
  if (path.starts_with("/grpc.reflection.")) return Group::kMetadata;
  constexpr std::string_view kInference = "/inference.GRPCInferenceService/";
  if (path.starts_with(kInference)) return GroupIn(kInferenceMethods, path.substr(kInference.size()));
  constexpr std::string_view kTensorflowServing = "/tensorflow.serving.";
  if (!path.starts_with(kTensorflowServing)) return std::nullopt;
  return GroupIn(kTensorflowServingMethods, path.substr(kTensorflowServing.size()));
}

}  // namespace inferd::access
