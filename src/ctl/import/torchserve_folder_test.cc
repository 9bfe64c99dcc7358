#include <gmock/gmock.h>

#include "ctl/import/foreign_folder.h"
#include "data/zip/zip_fixture.h"
#include "tests/support/temp_dir.h"

namespace inferd::ctl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TorchserveFolderTest : public ::testing::Test {
 protected:
  void WriteMar(const std::string& file, const std::string& model) {
    const std::string text = R"({"model": )" + model + "}";
    folder_.Write(file,
                  zip::PackZip({{.name = "MAR-INF/MANIFEST.json", .bytes = text, .method = 0, .size = text.size()}}));
  }
  ForeignModel Model(const std::string& model) {
    WriteMar("m.mar", model);
    return ReadTorchserveFolder(folder_.path()).value().models.at(0);
  }

  support::TempDir folder_;
};

TEST_F(TorchserveFolderTest, AModelHasToBeUnpacked) {
  const ForeignModel model = Model(R"({"modelName": "net", "serializedFile": "net.pt"})");
  EXPECT_EQ(model.name, "net");
  EXPECT_THAT(model.needs, ElementsAre(HasSubstr("m.mar net.pt; then inferctl init net net.pt")));
}

TEST_F(TorchserveFolderTest, CodeIsSaid) {
  EXPECT_THAT(Model(R"({"serializedFile": "net.pt", "modelFile": "net.py", "handler": "image_classifier"})").needs,
              ElementsAre(HasSubstr("has weights only, and 'net.py'"), HasSubstr("handler image_classifier turns")));
  EXPECT_THAT(Model(R"({"serializedFile": "net.onnx", "handler": "mine.py:handle"})").needs,
              ElementsAre(HasSubstr("inferctl init m net.onnx"), HasSubstr("'mine.py:handle' is code for TorchServe")));
  EXPECT_THAT(Model(R"({"handler": "mine.py", "requirementsFile": "r.txt"})").needs,
              ElementsAre(HasSubstr("names no model file"), HasSubstr("mine.py")));
}

TEST_F(TorchserveFolderTest, SettingsBecomeNotes) {
  WriteMar("store/model-store/net.mar", R"({"modelName": "net", "serializedFile": "net.pt"})");
  folder_.Write(
      "store/config/config.properties",
      "inference_address=http://0.0.0.0:8085\n"
      "models={\\\n \"net\": {\"1.0\": {\"batchSize\": 4, \"maxBatchDelay\": 100, \"minWorkers\": 2}}\\\n}\n");
  const auto found = ReadTorchserveFolder(folder_.path() / "store");
  ASSERT_TRUE(found.has_value()) << found.error().message();
  EXPECT_THAT(found->models.at(0).notes,
              ElementsAre(HasSubstr("batchSize 4, maxBatchDelay 100 ms"), HasSubstr("count: 2")));
  EXPECT_THAT(found->notes, ElementsAre(HasSubstr("8085")));
  EXPECT_THAT(found->unread, IsEmpty());
  EXPECT_THAT(found->options, IsEmpty());
}

TEST_F(TorchserveFolderTest, WhatCannotBeReadIsSaid) {
  folder_.Write("bad.mar", "no archive");
  folder_.Write("config.properties", "models={");
  const auto found = ReadTorchserveFolder(folder_.path());
  ASSERT_TRUE(found.has_value()) << found.error().message();
  EXPECT_THAT(found->models, IsEmpty());
  EXPECT_THAT(found->unread, ElementsAre(HasSubstr("models: JSON"), HasSubstr("bad.mar': it is no ZIP file")));
}

TEST_F(TorchserveFolderTest, OtherFoldersAreErrors) {
  EXPECT_THAT(ReadTorchserveFolder(folder_.path()).error().message(), HasSubstr("has no .mar files"));
  EXPECT_FALSE(ReadTorchserveFolder(folder_.path() / "none").has_value());
}

}  // namespace
}  // namespace inferd::ctl
