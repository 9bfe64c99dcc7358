#include "server/start/folder_kind.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "tests/support/temp_dir.h"

namespace inferd::server {
namespace {

class FolderKindTest : public ::testing::Test {
 protected:
  static FolderKind KindWith(std::initializer_list<const char*> files) {
    const support::TempDir folder;
    for (const char* file : files) folder.Write(file, "x");
    return KindOfFolder(folder.path());
  }
};

TEST_F(FolderKindTest, RepositoriesHaveFoldersOfModels) {
  EXPECT_EQ(KindWith({"digits/1/model.onnx"}), FolderKind::kRepository);
  EXPECT_EQ(KindWith({"digits/config.pbtxt"}), FolderKind::kRepository);
  EXPECT_EQ(KindWith({"7/1/model.onnx"}), FolderKind::kRepository);
  EXPECT_EQ(KindWith({"digits/1/model.onnx", "config.pbtxt"}), FolderKind::kRepository);
  EXPECT_EQ(KindWith({"digits/model.onnx"}), FolderKind::kRepository);
}

TEST_F(FolderKindTest, ModelsHaveVersionsAConfigurationOrAFile) {
  EXPECT_EQ(KindWith({"1/model.onnx"}), FolderKind::kModel);
  EXPECT_EQ(KindWith({"config.pbtxt"}), FolderKind::kModel);
  EXPECT_EQ(KindWith({"model.onnx"}), FolderKind::kModel);
  EXPECT_EQ(KindWith({"digits.onnx"}), FolderKind::kModel);
  EXPECT_EQ(KindWith({"saved_model.pb", "variables/variables.index"}), FolderKind::kModel);
}

TEST_F(FolderKindTest, OtherFolders) {
  EXPECT_EQ(KindWith({"a.onnx", "b.onnx"}), FolderKind::kFiles);
  EXPECT_EQ(KindWith({}), FolderKind::kEmpty);
  EXPECT_EQ(KindWith({"README.md", ".git/config"}), FolderKind::kEmpty);
  EXPECT_EQ(KindOfFolder(support::TempDir().path() / "none"), FolderKind::kEmpty);
}

}  // namespace
}  // namespace inferd::server
