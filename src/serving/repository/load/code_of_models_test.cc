#include "serving/repository/load/code_of_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::repository {
namespace {

using ::testing::HasSubstr;

config::ModelConfig Of(const std::string& engine) {
  config::ModelConfig config;
  config.name = "m";
  config.engine = engine;
  return config;
}

TEST(CodeOfModelsTest, WhatTheEngineDoesDecides) {
  for (const char* engine : {"python", "tensorflow", "torch"}) {
    config::ModelConfig config = Of(engine);
    config.default_model_filename = "model.onnx";
    const base::Status status = CheckRunsNoCode(config);
    EXPECT_EQ(status.code(), base::StatusCode::kPermissionDenied) << engine;
    EXPECT_THAT(status.message(), HasSubstr("--control-from=anyone")) << engine;
  }
  for (const char* engine : {"onnxruntime", "openvino", "forest", "fake", "ensemble"}) {
    EXPECT_TRUE(CheckRunsNoCode(Of(engine)).ok()) << engine;
  }
}

TEST(CodeOfModelsTest, LibrariesOfOperatorsAreCode) {
  config::ModelConfig config = Of("onnxruntime");
  config.op_library_filenames = {"ops.so"};
  EXPECT_THAT(CheckRunsNoCode(config).message(), HasSubstr("libraries of operators"));
}

}  // namespace
}  // namespace inferd::repository
