#include "engines/onnxruntime/gpu/tensorrt_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "engines/kit/tensor_signature.h"

namespace inferd::onnxruntime {
namespace {

using ::testing::HasSubstr;

inferd_text Text(std::string_view text) { return {text.data(), text.size()}; }

kit::TensorSignature DeclaredTensor(int32_t datatype = INFERD_TYPE_FP32) {
  kit::TensorSignature signature;
  signature.AddInput({.name = "data", .datatype = datatype, .shape = {-1, 1, 28, 28}});
  signature.AddOutput({.name = "prob", .datatype = INFERD_TYPE_FP16, .shape = {-1, 10}});
  signature.Finish(0);
  return signature;
}

TEST(TensorRtPlanTest, ThePlanIsInTheModelAsItIs) {
  const std::string plan = std::string("ptrt\0\xff", 6) + std::string(100, 'x');
  const auto model = WrapPlan(plan, *DeclaredTensor().abi());
  ASSERT_TRUE(model.has_value());
  EXPECT_THAT(*model, HasSubstr(plan));
  for (const char* part :
       {"EPContext", "com.microsoft", "ep_cache_context", "embed_mode", "main_context", "data", "prob"})
    EXPECT_THAT(*model, HasSubstr(part));
}

TEST(TensorRtPlanTest, WhatItTakesAndGivesHasToBeDeclared) {
  kit::TensorSignature none;
  none.Finish(0);
  const auto unsaid = WrapPlan("ptrt", *none.abi());
  ASSERT_FALSE(unsaid.has_value());
  EXPECT_THAT(unsaid.error().message(), HasSubstr("config.pbtxt must list every input and output"));
  const auto strings = WrapPlan("ptrt", *DeclaredTensor(INFERD_TYPE_BYTES).abi());
  ASSERT_FALSE(strings.has_value());
  EXPECT_EQ(strings.error(), base::InvalidArgument("tensor 'data' has a data_type that TensorRT has not"));
}

TEST(TensorRtPlanTest, FilesThatAreNoPlansAreRefused) {
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "some.plan";
  const auto declared = DeclaredTensor();
  inferd_load load = {};
  load.struct_size = sizeof(load);
  load.declared = declared.abi();
  EXPECT_EQ(ReadPlan(load, file.string() + ".none").error().code(), base::StatusCode::kNotFound);
  for (const char* text : {"", "ptr", "a plan"}) {
    std::ofstream(file) << text;
    const auto read = ReadPlan(load, file);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_THAT(read.error().message(), HasSubstr("is no TensorRT plan"));
  }
  std::ofstream(file) << "ptrt plan";
  EXPECT_TRUE(ReadPlan(load, file).has_value());
  std::filesystem::resize_file(file, kPlanBytesMax + 1);  // a sparse file
  EXPECT_EQ(ReadPlan(load, file).error().code(), base::StatusCode::kResourceExhausted);
  std::filesystem::remove(file);
}

TEST(TensorRtPlanTest, ItIsTheBackendsOrTheFilesName) {
  inferd_load load = {};
  load.struct_size = sizeof(load);
  EXPECT_TRUE(IsTensorRtPlan(load, "1/model.plan"));
  EXPECT_FALSE(IsTensorRtPlan(load, "1/model.onnx"));
  load.backend = Text("tensorrt");
  EXPECT_TRUE(IsTensorRtPlan(load, "1/engine.trt"));
}

}  // namespace
}  // namespace inferd::onnxruntime
