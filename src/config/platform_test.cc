#include "config/platform.h"

#include <gtest/gtest.h>

namespace inferd::config {
namespace {

TEST(PlatformTest, KnowsTheSevenNamesOfPredictV2) {
  for (const char* name : {"tensorrt_plan", "tensorflow_graphdef", "tensorflow_savedmodel", "onnx_onnxv1",
                           "pytorch_torchscript", "mxnet_mxnet", "caffe2_netdef"}) {
    const Platform* platform = FindPlatform(name);
    ASSERT_NE(platform, nullptr) << name;
    EXPECT_EQ(ShownPlatform(*platform, PlatformNames::kPredictV2), name);
    EXPECT_FALSE(platform->engine.empty());
  }
  EXPECT_EQ(FindPlatform("onnx"), nullptr);
  EXPECT_EQ(FindPlatform(""), nullptr);
}

TEST(PlatformTest, TritonsNamesMeanTheSameEngines) {
  const Platform* platform = FindPlatform("onnxruntime_onnx");
  ASSERT_NE(platform, nullptr);
  EXPECT_EQ(platform->engine, "onnxruntime");
  EXPECT_EQ(ShownPlatform(*platform, PlatformNames::kPredictV2), "onnx_onnxv1");
  EXPECT_EQ(ShownPlatform(*platform, PlatformNames::kTriton), "onnxruntime_onnx");
  ASSERT_NE(FindBackend("onnxruntime"), nullptr);
  EXPECT_EQ(FindBackend("identity")->engine, "fake");
  EXPECT_EQ(FindBackend("nobody"), nullptr);
}

}  // namespace
}  // namespace inferd::config
