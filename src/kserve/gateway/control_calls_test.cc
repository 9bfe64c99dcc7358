#include "kserve/gateway/control_calls.h"

#include <gtest/gtest.h>

namespace inferd::gateway {
namespace {

TEST(ControlCallsTest, WhatControlsAServerIsKnown) {
  for (const char* path :
       {"/v2/repository/index", "/v2/repository/models/m/load", "/v2/repository/models/m/unload",
        "/v2/repository/r/models/m/load", "/v2/logging", "/v2/trace/setting", "/v2/models/m/trace/setting",
        "/v2/models/m/versions/1/trace/setting", "/v2/systemsharedmemory/status",
        "/v2/systemsharedmemory/region/r/register", "/v2/cudasharedmemory/unregister",
        "/inference.GRPCInferenceService/RepositoryModelLoad", "/inference.GRPCInferenceService/LogSettings",
        "/inference.GRPCInferenceService/TraceSetting", "/inference.GRPCInferenceService/CudaSharedMemoryRegister",
        "/tensorflow.serving.ModelService/HandleReloadConfigRequest",
        "/inference.model_repository.ModelRepositoryService/ModelRepositoryIndex"}) {
    EXPECT_TRUE(IsControlCall(path)) << path;
  }
}

// Servers read paths in different ways: some decode, some ignore empty segments, some resolve dots.
TEST(ControlCallsTest, OtherWaysToWriteThemAreKnown) {
  for (const char* path :
       {"/v2/%72epository/index", "/%76%32/logging", "/v2%2Flogging", "//v2/logging", "/v2//logging", "/v2/logging/",
        "/./v2/./logging", "/v2/models/../logging", "/x/../v2/logging", "/v2/models/m/infer/../../../repository/index",
        "/../v2/logging", "/v2/models/%2e%2e/logging", "/v2/models/m//trace/setting", "/v2/models/m/trace/setting/",
        "/inference%2eGRPCInferenceService/RepositoryIndex", "v2/logging"}) {
    EXPECT_TRUE(IsControlCall(path)) << path;
  }
}

TEST(ControlCallsTest, AllElseIsForTheModel) {
  for (const char* path : {"/",
                           "",
                           "/v2",
                           "/v2/",
                           "/v2/models/m/infer",
                           "/v2/models/m",
                           "/v2/models/m/stats",
                           "/v2/health/ready",
                           "/v2/models/repository/infer",
                           "/v2/models/logging",
                           "/v2/repositoryx",
                           "/v1/models/m:predict",
                           "/logging",
                           "/repository/index",
                           "/v2/models/trace%2Fsettings",
                           "/v2/models/m/trace",
                           "/x/v2/logging",
                           "/inference.GRPCInferenceService/ModelInfer",
                           "/inference.GRPCInferenceService/ServerReady",
                           "/tensorflow.serving.PredictionService/Predict",
                           "/tensorflow.serving.ModelService/GetModelStatus",
                           "/v2/models/m%zz",
                           "/LogSettings"}) {
    EXPECT_FALSE(IsControlCall(path)) << path;
  }
}

}  // namespace
}  // namespace inferd::gateway
