#include "config/format/format_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/text/file_pattern.h"
#include "config/format/missing_engine.h"

namespace inferd::config {
namespace {

using ::testing::StartsWith;

TEST(FormatTableTest, EveryRowIsWhole) {
  for (const Format& format : Formats()) {
    EXPECT_FALSE(format.name.empty());
    EXPECT_FALSE(format.files.front().empty()) << format.name;
    EXPECT_EQ(PlatformOf(format) == nullptr, format.platform.empty()) << format.name;
    EXPECT_EQ(format.content == Content::kUnread || format.kinds.front() != FileKind::kUnknown, true)
        << format.name << ": nothing could fit";
    EXPECT_FALSE(format.platform.empty() && format.without.empty()) << format.name;
  }
}

TEST(FormatTableTest, NativeCodeIsKnownByItsNameOrItsBackend) {
  EXPECT_TRUE(IsNativeCode("", "model.pt2"));
  EXPECT_TRUE(IsNativeCode("pytorch", "net.PT2"));
  EXPECT_TRUE(IsNativeCode("torch_aoti", "model.bin"));
  EXPECT_FALSE(IsNativeCode("pytorch", "model.pt"));
  EXPECT_FALSE(IsNativeCode("", ""));
}

TEST(FormatTableTest, WhereNamesMeetContentTells) {
  const auto formats = Formats();
  for (size_t i = 0; i < formats.size(); ++i) {
    if (formats[i].content != Content::kUnread) continue;
    for (const std::string_view pattern : formats[i].files) {
      if (pattern.empty()) continue;
      const std::string name = base::WithStar(pattern, "model");
      for (size_t j = i + 1; j < formats.size(); ++j) {
        if (formats[j].platform.empty()) continue;
        for (const std::string_view other : formats[j].files) {
          const bool meets = !other.empty() && other != "*.json" && base::StarOf(other, name).has_value();
          EXPECT_FALSE(meets) << name << " never is of the format " << formats[j].name;
        }
      }
    }
  }
}

TEST(FormatTableTest, TheSevenPlatformsHaveTheirFiles) {
  for (const auto& [platform, file] :
       {std::pair("tensorrt_plan", "model.plan"), std::pair("tensorflow_graphdef", "model.graphdef"),
        std::pair("tensorflow_savedmodel", "model.savedmodel"), std::pair("onnx_onnxv1", "model.onnx"),
        std::pair("pytorch_torchscript", "model.pt"), std::pair("mxnet_mxnet", "model-symbol.json"),
        std::pair("caffe2_netdef", "model.netdef")}) {
    EXPECT_EQ(DefaultFileOf(*FindPlatform(platform)), file);
  }
  EXPECT_EQ(DefaultFileOf(*FindPlatform("pytorch_libtorch")), "model.pt");
  EXPECT_EQ(DefaultFileOf(*FindBackend("python")), "model.py");
  EXPECT_EQ(DefaultFileOf(*FindBackend("openvino")), "model.xml");
  EXPECT_EQ(DefaultFileOf(*FindBackend("forest")), "") << "it has several";
  EXPECT_EQ(DefaultFileOf(*FindBackend("identity")), "");
}

TEST(MissingEngineTest, SaysWhatInstallsItOrWhatToDoInstead) {
  EXPECT_EQ(MissingEngineHint("tensorflow", "model.graphdef"), "tools/install_engine tensorflow installs it");
  EXPECT_EQ(MissingEngineHint("torch", "model.pt"), "tools/install_engine torch installs it");
  EXPECT_EQ(MissingEngineHint("torch", "model.pt2"), "tools/install_engine torch installs it");
  EXPECT_EQ(MissingEngineHint("openvino", "model.xml"), "tools/install_engine openvino installs it");
  EXPECT_EQ(MissingEngineHint("openvino", "model.onnx"), "tools/install_engine openvino installs it");
  EXPECT_EQ(MissingEngineHint("python", "model.pkl"), "tools/install_engine python installs it");
  EXPECT_EQ(MissingEngineHint("python", "model.py"), "tools/install_engine python installs it");
  EXPECT_EQ(MissingEngineHint("python", "other"), "tools/install_engine python installs it");
  EXPECT_EQ(MissingEngineHint("my_own", "model.onnx"), "");
}

}  // namespace
}  // namespace inferd::config
