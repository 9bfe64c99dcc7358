#include "access/group.h"

#include <algorithm>
#include <span>

namespace inferd::access {

namespace {

struct Method {
  std::string_view name;
  Group group;
  bool control = false;  // IsControlMethod
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
    {"RepositoryModelLoad", Group::kModelRepository, true},
    {"RepositoryModelUnload", Group::kModelRepository, true},
    {"SystemSharedMemoryStatus", Group::kSharedMemory},
    {"SystemSharedMemoryRegister", Group::kSharedMemory},
    {"SystemSharedMemoryUnregister", Group::kSharedMemory},
    {"CudaSharedMemoryStatus", Group::kSharedMemory},
    {"CudaSharedMemoryRegister", Group::kSharedMemory},
    {"CudaSharedMemoryUnregister", Group::kSharedMemory},
    {"TraceSetting", Group::kTrace, true},
    {"LogSettings", Group::kLogging, true},
};

// The same groups as over REST.
constexpr Method kTensorflowServingMethods[] = {
    {"PredictionService/Predict", Group::kInference},
    {"PredictionService/Classify", Group::kInference},
    {"PredictionService/Regress", Group::kInference},
    {"PredictionService/MultiInference", Group::kInference},
    {"PredictionService/GetModelMetadata", Group::kMetadata},
    {"ModelService/GetModelStatus", Group::kHealth},
    {"ModelService/HandleReloadConfigRequest", Group::kModelRepository, true},
    {"SessionService/SessionRun", Group::kInference},
};

const Method* FindIn(std::span<const Method> methods, std::string_view name) {
  const auto method = std::ranges::find(methods, name, &Method::name);
  return method == methods.end() ? nullptr : &*method;
}

const Method* Find(std::string_view path) {
  constexpr std::string_view kInference = "/inference.GRPCInferenceService/";
  if (path.starts_with(kInference)) return FindIn(kInferenceMethods, path.substr(kInference.size()));
  constexpr std::string_view kTensorflowServing = "/tensorflow.serving.";
  if (!path.starts_with(kTensorflowServing)) return nullptr;
  return FindIn(kTensorflowServingMethods, path.substr(kTensorflowServing.size()));
}

}  // namespace

std::optional<Group> GroupOfGrpcMethod(std::string_view path) {
  if (path.starts_with("/grpc.health.v1.Health/")) return Group::kHealth;
  // What there is to call is metadata too.
  if (path.starts_with("/grpc.reflection.")) return Group::kMetadata;
  const Method* const method = Find(path);
  return method == nullptr ? std::nullopt : std::optional(method->group);
}

bool IsControlMethod(std::string_view path) {
  const Method* const method = Find(path);
  return method != nullptr && method->control;
}

}  // namespace inferd::access
