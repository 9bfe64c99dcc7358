#include <gmock/gmock.h>

#include "ctl/import/foreign_folder.h"
#include "tests/support/temp_dir.h"

namespace inferd::ctl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TritonFolderTest, EveryFolderIsAModel) {
  const support::TempDir folder;
  folder.Write("a/1/model.onnx", "");
  folder.Write("b/config.pbtxt", "");
  folder.Write("7/1/model.onnx", "");
  folder.Write("readme.txt", "");
  const auto found = ReadTritonFolder(folder.path());
  ASSERT_TRUE(found.has_value()) << found.error().message();
  ASSERT_EQ(found->models.size(), 3u);
  EXPECT_EQ(found->models[1].name, "a");
  EXPECT_EQ(found->models[1].place, (folder.path() / "a").string());
  EXPECT_THAT(found->options, ElementsAre("--as", "tritonserver", "--model-repository=" + folder.path().string()));
}

TEST(TritonFolderTest, AModelsOwnFolderIsNoRepository) {
  const support::TempDir folder;
  folder.Write("a/1/model.onnx", "");
  folder.Write("empty/file", "");
  EXPECT_THAT(ReadTritonFolder(folder.path() / "a").error().message(), HasSubstr("give the folder above it"));
  EXPECT_THAT(ReadTritonFolder(folder.path() / "empty").error().message(), HasSubstr("no folders of models"));
  EXPECT_THAT(ReadTritonFolder(folder.path() / "none").error().message(), HasSubstr("there is no folder"));
}

}  // namespace
}  // namespace inferd::ctl
