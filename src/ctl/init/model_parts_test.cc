#include "ctl/init/model_parts.h"

#include <gmock/gmock.h>

#include "tests/support/temp_dir.h"

namespace inferd::ctl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::string> kPatterns = {
    "*.onnx",         "*.xml with *.bin", "*.json",   "*-symbol.json with *-*.params",
    "saved_model.pb", "MLmodel",          "model.py", "*.netdef with init_*.netdef"};

class ModelPartsTest : public ::testing::Test {
 protected:
  // Returns "FROM -> TO" for each part, FROM without the folder of the test.
  std::vector<std::string> Parts(const std::string& given, const std::string& version = "1") {
    const auto parts = PartsOf(folder_.path() / given, version, kPatterns);
    std::vector<std::string> texts;
    if (!parts.has_value()) return {parts.error().message()};
    for (const ModelPart& part : *parts) {
      texts.push_back(part.from.lexically_relative(folder_.path()).string() + " -> " + part.to.string());
    }
    return texts;
  }

  std::string Error(const std::string& given) {
    const auto parts = PartsOf(folder_.path() / given, "1", kPatterns);
    return parts.has_value() ? "" : parts.error().message();
  }

  support::TempDir folder_;
};

TEST_F(ModelPartsTest, AFileIsCalledModel) {
  folder_.Write("iris.ONNX", "");
  folder_.Write("other.onnx", "");
  EXPECT_THAT(Parts("iris.ONNX", "7"), ElementsAre("iris.ONNX -> 7/model.onnx"));
}

TEST_F(ModelPartsTest, AFileOfNoKnownEndingKeepsItsName) {
  folder_.Write("weights.h5", "");
  EXPECT_THAT(Parts("weights.h5"), ElementsAre("weights.h5 -> 1/weights.h5"));
}

TEST_F(ModelPartsTest, FilesThatAFormatNeedsComeAlong) {
  folder_.Write("net.xml", "");
  folder_.Write("net.bin", "");
  folder_.Write("init_a.netdef", "");
  folder_.Write("a.netdef", "");
  EXPECT_THAT(Parts("net.xml"), ElementsAre("net.xml -> 1/model.xml", "net.bin -> 1/model.bin"));
  EXPECT_THAT(Parts("a.netdef"), ElementsAre("a.netdef -> 1/model.netdef", "init_a.netdef -> 1/init_model.netdef"));
}

TEST_F(ModelPartsTest, SeveralFilesMayCompleteOne) {
  folder_.Write("a-symbol.json", "");
  EXPECT_THAT(Parts("a-symbol.json"), ElementsAre("a-symbol.json -> 1/model-symbol.json"));
  folder_.Write("a-0000.params", "");
  folder_.Write("a-0010.params", "");
  folder_.Write("b-0000.params", "");
  EXPECT_THAT(Parts("a-symbol.json"),
              ElementsAre("a-symbol.json -> 1/model-symbol.json", "a-0000.params -> 1/model-0000.params",
                          "a-0010.params -> 1/model-0010.params"));
}

// An ONNX model with a tensor in another file, whose name has fewer than 80 bytes.
std::string OnnxWith(const std::string& location) {
  const auto field = [](char tag, const std::string& value) { return tag + (static_cast<char>(value.size()) + value); };
  const std::string entry = field('\x6a', field('\x0a', "location") + field('\x12', location));
  return field('\x3a', field('\x2a', entry));
}

TEST_F(ModelPartsTest, LargeTensorsOfAnOnnxModelComeAlong) {
  folder_.Write("net.onnx", OnnxWith("net.onnx.data"));
  EXPECT_THAT(Error("net.onnx"), HasSubstr("'net.onnx.data', which is not in"));
  folder_.Write("net.onnx.data", "1234");
  EXPECT_THAT(Parts("net.onnx"), ElementsAre("net.onnx -> 1/model.onnx", "net.onnx.data -> 1/net.onnx.data"));
  folder_.Write("up.onnx", OnnxWith("../secret"));
  EXPECT_THAT(Error("up.onnx"), HasSubstr("outside of its folder"));
  folder_.Write("absolute.onnx", OnnxWith("/etc/passwd"));
  EXPECT_THAT(Error("absolute.onnx"), HasSubstr("outside of its folder"));
}

TEST_F(ModelPartsTest, AFolderIsTheVersion) {
  folder_.Write("half/saved_model.pb", "");
  folder_.Write("half/variables/variables.index", "");
  EXPECT_THAT(Parts("half", "3"), ElementsAre("half -> 3"));
  EXPECT_THAT(Parts("half/"), ElementsAre("half -> 1"));
  EXPECT_THAT(Parts("half/saved_model.pb"), ElementsAre("half -> 1")) << "the file needs what is beside it";
  EXPECT_EQ(NamingPath(folder_.path() / "half" / "saved_model.pb"), folder_.path() / "half");
}

TEST_F(ModelPartsTest, AConfigurationAndItsLabelsAreTheModels) {
  folder_.Write("digits/model.onnx", "");
  folder_.Write("digits/labels.txt", "");
  folder_.Write("digits/other.txt", "");
  folder_.Write("digits/config.pbtxt",
                "output { name: \"y\" label_filename: \"labels.txt\" }\noutput { label_filename : \"../secret\" }\n"
                "# label_filename\nlabel_filename: \"gone.txt\" label_filename: \"labels.txt\" label_filename: \"");
  EXPECT_THAT(Parts("digits"),
              ElementsAre("digits -> 1", "digits/config.pbtxt -> config.pbtxt", "digits/labels.txt -> labels.txt"));
}

TEST_F(ModelPartsTest, WhatIsServedAsItIsIsRefused) {
  folder_.Write("models/iris/1/model.onnx", "");
  folder_.Write("models/empty/.keep", "");
  EXPECT_THAT(Error("models/iris"), HasSubstr("is a model's folder already. Serve it with: inferd "));
  EXPECT_THAT(Error("models"), HasSubstr("is a repository of models already"));
  EXPECT_THAT(Error("models/empty"), HasSubstr("is empty"));
  EXPECT_THAT(Parts("models/iris/1", "2"), ElementsAre("models/iris/1 -> 2"));
}

TEST_F(ModelPartsTest, WhatIsNotThereIsAnError) {
  EXPECT_THAT(Error("gone.onnx"), HasSubstr("there is no "));
  const auto uri = PartsOf("s3://bucket/model", "1", kPatterns);
  ASSERT_FALSE(uri.has_value());
  EXPECT_THAT(uri.error().message(), HasSubstr("inferd --model-base-path NAME=URI"));
  EXPECT_FALSE(PartsOf("/dev/null", "1", kPatterns).has_value());
}

}  // namespace
}  // namespace inferd::ctl
