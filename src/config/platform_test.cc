#include "config/platform.h"

#include <gtest/gtest.h>

#include <vector>

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

TEST(PlatformTest, DetectsByFileInTritonsOrder) {
  const auto detect = [](std::vector<std::string> entries) {
    const auto found = DetectModel(entries);
    return found.has_value() ? std::string(found->platform->backend) + "/" + found->filename : "";
  };
  EXPECT_EQ(detect({"model.onnx", "model.data"}), "onnxruntime/model.onnx");
  EXPECT_EQ(detect({"model.onnx", "model.savedmodel"}), "tensorflow/model.savedmodel");
  EXPECT_EQ(detect({"variables", "saved_model.pb", "assets"}), "tensorflow/saved_model.pb");
  EXPECT_EQ(detect({"variables", "saved_model.pbtxt"}), "tensorflow/saved_model.pbtxt");
  EXPECT_EQ(detect({"frozen.pb"}), "");
  EXPECT_EQ(detect({"batching_params.pbtxt"}), "");
  EXPECT_EQ(detect({"model.pt"}), "pytorch/model.pt");
  EXPECT_EQ(detect({"model.pt2"}), "torch_aoti/model.pt2");
  EXPECT_EQ(detect({"resnet.onnx", "README"}), "onnxruntime/resnet.onnx");
  EXPECT_EQ(detect({"a.onnx", "b.onnx"}), "");
  EXPECT_EQ(detect({"weights.json"}), "");
  EXPECT_EQ(detect({}), "");
}

}  // namespace
}  // namespace inferd::config
