#pragma once

#include <array>
#include <string_view>

namespace inferd::oip_grpc {

// A method's path, and the group in which access to it is granted, in the spelling of Triton's
// --grpc-restricted-protocol.
struct MethodName {
  std::string_view path;
  std::string_view group;
};

// Every method that Methods (service.h) gives.
inline constexpr auto kMethods = std::to_array<MethodName>({
    {"/inference.GRPCInferenceService/ServerLive", "health"},
    {"/inference.GRPCInferenceService/ServerReady", "health"},
    {"/inference.GRPCInferenceService/ModelReady", "health"},
    {"/inference.GRPCInferenceService/ServerMetadata", "metadata"},
    {"/inference.GRPCInferenceService/ModelMetadata", "metadata"},
    {"/inference.GRPCInferenceService/ModelInfer", "inference"},
    {"/inference.GRPCInferenceService/ModelStreamInfer", "inference"},
    {"/inference.GRPCInferenceService/ModelConfig", "model-config"},
    {"/inference.GRPCInferenceService/ModelStatistics", "statistics"},
    {"/inference.GRPCInferenceService/RepositoryIndex", "model-repository"},
    {"/inference.GRPCInferenceService/RepositoryModelLoad", "model-repository"},
    {"/inference.GRPCInferenceService/RepositoryModelUnload", "model-repository"},
    {"/inference.GRPCInferenceService/SystemSharedMemoryStatus", "shared-memory"},
    {"/inference.GRPCInferenceService/SystemSharedMemoryRegister", "shared-memory"},
    {"/inference.GRPCInferenceService/SystemSharedMemoryUnregister", "shared-memory"},
    {"/inference.GRPCInferenceService/CudaSharedMemoryStatus", "shared-memory"},
    {"/inference.GRPCInferenceService/CudaSharedMemoryRegister", "shared-memory"},
    {"/inference.GRPCInferenceService/CudaSharedMemoryUnregister", "shared-memory"},
    {"/inference.GRPCInferenceService/TraceSetting", "trace"},
    {"/inference.GRPCInferenceService/LogSettings", "logging"},
});

}  // namespace inferd::oip_grpc
