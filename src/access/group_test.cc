#include "access/group.h"

#include <gtest/gtest.h>

namespace inferd::access {
namespace {

TEST(GroupTest, MethodsOfGrpcHaveGroups) {
  EXPECT_EQ(GroupOfGrpcMethod("/inference.GRPCInferenceService/ServerReady"), Group::kHealth);
  EXPECT_EQ(GroupOfGrpcMethod("/inference.GRPCInferenceService/ModelMetadata"), Group::kMetadata);
  EXPECT_EQ(GroupOfGrpcMethod("/inference.GRPCInferenceService/ModelStreamInfer"), Group::kInference);
  EXPECT_EQ(GroupOfGrpcMethod("/inference.GRPCInferenceService/CudaSharedMemoryRegister"), Group::kSharedMemory);
  EXPECT_EQ(GroupOfGrpcMethod("/inference.GRPCInferenceService/ModelConfig"), Group::kModelConfig);
  EXPECT_EQ(GroupOfGrpcMethod("/inference.GRPCInferenceService/RepositoryModelLoad"), Group::kModelRepository);
  EXPECT_EQ(GroupOfGrpcMethod("/inference.GRPCInferenceService/ModelStatistics"), Group::kStatistics);
  EXPECT_EQ(GroupOfGrpcMethod("/inference.GRPCInferenceService/TraceSetting"), Group::kTrace);
  EXPECT_EQ(GroupOfGrpcMethod("/inference.GRPCInferenceService/LogSettings"), Group::kLogging);
  EXPECT_EQ(GroupOfGrpcMethod("/tensorflow.serving.PredictionService/Predict"), Group::kInference);
  EXPECT_EQ(GroupOfGrpcMethod("/tensorflow.serving.PredictionService/GetModelMetadata"), Group::kMetadata);
  EXPECT_EQ(GroupOfGrpcMethod("/tensorflow.serving.ModelService/GetModelStatus"), Group::kHealth);
  EXPECT_EQ(GroupOfGrpcMethod("/tensorflow.serving.ModelService/HandleReloadConfigRequest"), Group::kModelRepository);
  EXPECT_EQ(GroupOfGrpcMethod("/grpc.health.v1.Health/Watch"), Group::kHealth);
  EXPECT_EQ(GroupOfGrpcMethod("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"), Group::kMetadata);
}

TEST(GroupTest, MethodsThatChangeWhatTheServerDoesAreControl) {
  for (const std::string_view path :
       {"/inference.GRPCInferenceService/RepositoryModelLoad", "/inference.GRPCInferenceService/RepositoryModelUnload",
        "/inference.GRPCInferenceService/LogSettings", "/inference.GRPCInferenceService/TraceSetting",
        "/tensorflow.serving.ModelService/HandleReloadConfigRequest"}) {
    EXPECT_TRUE(IsControlMethod(path)) << path;
  }
  for (const std::string_view path :
       {"/inference.GRPCInferenceService/RepositoryIndex", "/inference.GRPCInferenceService/ModelInfer",
        "/tensorflow.serving.ModelService/GetModelStatus", "/grpc.health.v1.Health/Watch",
        "/other.Service/LogSettings"}) {
    EXPECT_FALSE(IsControlMethod(path)) << path;
  }
}

TEST(GroupTest, OtherPathsHaveNone) {
  for (const std::string_view path :
       {"", "/", "ModelInfer", "/inference.GRPCInferenceService/", "/inference.GRPCInferenceService/Modelinfer",
        "/inference.GRPCInferenceService/ModelInfer/", "/other.Service/ModelInfer",
        "/tensorflow.serving.ModelService/Predict"}) {
    EXPECT_EQ(GroupOfGrpcMethod(path), std::nullopt) << path;
  }
}

}  // namespace
}  // namespace inferd::access
