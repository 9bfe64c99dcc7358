#include "storage/local_storage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace inferd::storage {
namespace {

using ::testing::ElementsAre;
namespace fs = std::filesystem;

std::vector<std::string> Paths(const TreeStat& tree) {
  std::vector<std::string> paths;
  for (const FileStat& file : tree.files) paths.push_back(file.path);
  return paths;
}

TEST(LocalStorageTest, ModelsAreFoldersWithoutADot) {
  inferd::support::TempDir dir;
  dir.MakeDir("b/1");
  dir.MakeDir("a");
  dir.MakeDir(".git");
  dir.MakeDir("..data");
  dir.Write("README.md", "not a model");
  EXPECT_THAT(LocalStorage(dir.path()).ListModels().value(), ElementsAre("a", "b"));
}

TEST(LocalStorageTest, AMissingFolderIsNotFound) {
  const LocalStorage storage("/nonexistent/models");
  EXPECT_EQ(storage.ListModels().error().code(), base::StatusCode::kNotFound);
  EXPECT_EQ(storage.StatModel("m").error().code(), base::StatusCode::kNotFound);
}

TEST(LocalStorageTest, TheTreeIsSortedAndHasNoDotFiles) {
  inferd::support::TempDir dir;
  dir.Write("m/config.pbtxt", "");
  dir.Write("m/1/model.onnx", "12345");
  dir.Write("m/1/.model.onnx.swp", "");
  dir.MakeDir("m/2");
  const TreeStat tree = LocalStorage(dir.path()).StatModel("m").value();
  EXPECT_THAT(Paths(tree), ElementsAre("1", "1/model.onnx", "2", "config.pbtxt"));
  EXPECT_TRUE(tree.files[0].is_folder);
  EXPECT_EQ(tree.files[1].size, 5u);
}

TEST(LocalStorageTest, ALookAtAnUntouchedTreeIsEqualAndAChangedOneIsNot) {
  inferd::support::TempDir dir;
  dir.Write("m/1/model.onnx", "12345");
  const LocalStorage storage(dir.path());
  const TreeStat before = storage.StatModel("m").value();
  EXPECT_EQ(before, storage.StatModel("m").value());
  dir.Write("m/1/model.onnx", "123456");
  EXPECT_NE(before, storage.StatModel("m").value());
}

TEST(LocalStorageTest, AReplacedFileOfTheSameSizeAndTimeIsSeen) {
  inferd::support::TempDir dir;
  dir.Write("m/1/model.onnx", "12345");
  dir.Write("new", "54321");
  fs::last_write_time(dir.path() / "new", fs::last_write_time(dir.path() / "m/1/model.onnx"));
  const LocalStorage storage(dir.path());
  const TreeStat before = storage.StatModel("m").value();
  fs::rename(dir.path() / "new", dir.path() / "m/1/model.onnx");
  EXPECT_NE(before, storage.StatModel("m").value());
}

// A Kubernetes volume: m/1/model.onnx -> ..data/..., and ..data -> a folder that an update replaces.
TEST(LocalStorageTest, FollowsAnUpdateOfTheDataLink) {
  inferd::support::TempDir dir;
  dir.Write("m/..first/model.onnx", "12345");
  dir.Write("m/..second/model.onnx", "12345");
  dir.MakeDir("m/1");
  fs::create_symlink("..first", dir.path() / "m/..data");
  fs::create_symlink("../..data/model.onnx", dir.path() / "m/1/model.onnx");
  const LocalStorage storage(dir.path());
  const TreeStat before = storage.StatModel("m").value();
  EXPECT_THAT(Paths(before), ElementsAre("1", "1/model.onnx"));
  fs::create_symlink("..second", dir.path() / "m/..data_tmp");
  fs::rename(dir.path() / "m/..data_tmp", dir.path() / "m/..data");
  EXPECT_NE(before, storage.StatModel("m").value());
}

TEST(LocalStorageTest, LinksInACircleEnd) {
  inferd::support::TempDir dir;
  dir.MakeDir("m/1");
  fs::create_directory_symlink("..", dir.path() / "m/1/up");
  EXPECT_EQ(LocalStorage(dir.path()).StatModel("m").error().code(), base::StatusCode::kFailedPrecondition);
}

TEST(LocalStorageTest, ALinkToNothingIsSkipped) {
  inferd::support::TempDir dir;
  dir.MakeDir("m/1");
  fs::create_symlink("gone", dir.path() / "m/1/model.onnx");
  EXPECT_THAT(Paths(LocalStorage(dir.path()).StatModel("m").value()), ElementsAre("1"));
}

TEST(FileStorageTest, OneFileIsAModelWithVersionOne) {
  inferd::support::TempDir dir;
  dir.Write("digits.onnx", "12345");
  dir.Write("other.onnx", "");
  const FileStorage storage(dir.path() / "digits.onnx");
  EXPECT_THAT(storage.ListModels().value(), ElementsAre("digits"));
  EXPECT_THAT(Paths(storage.StatModel("digits").value()), ElementsAre("1", "1/digits.onnx"));
  EXPECT_EQ(storage.ModelDir("digits"), dir.path());
  EXPECT_EQ(storage.StatModel("other").error().code(), base::StatusCode::kNotFound);
  EXPECT_EQ(FileStorage(dir.path() / "none.onnx").ListModels().error().code(), base::StatusCode::kNotFound);
}

TEST(FileStorageTest, AFolderOfFilesIsVersionOne) {
  inferd::support::TempDir dir;
  dir.Write("models/saved_model.pb", "12345");
  dir.Write("models/variables/variables.index", "");
  dir.Write("models/config.pbtxt", "");
  const FileStorage storage(dir.path() / "models", "iris");
  EXPECT_THAT(storage.ListModels().value(), ElementsAre("iris"));
  EXPECT_THAT(Paths(storage.StatModel("iris").value()),
              ElementsAre("1", "1/saved_model.pb", "1/variables", "1/variables/variables.index", "config.pbtxt"));
  EXPECT_EQ(storage.ModelDir("iris"), dir.path() / "models");
  EXPECT_EQ(storage.VersionDir("iris", "1"), dir.path() / "models");
}

TEST(FileStorageTest, AFolderOfVersionsStaysAsItIs) {
  inferd::support::TempDir dir;
  dir.Write("models/7/model.onnx", "12345");
  dir.Write("models/labels.txt", "");
  const FileStorage storage(dir.path() / "models", "iris");
  EXPECT_THAT(Paths(storage.StatModel("iris").value()), ElementsAre("7", "7/model.onnx", "labels.txt"));
  EXPECT_EQ(storage.VersionDir("iris", "7"), dir.path() / "models/7");
  EXPECT_EQ(FileStorage(dir.path() / "none", "iris").StatModel("iris").error().code(), base::StatusCode::kNotFound);
}

}  // namespace
}  // namespace inferd::storage
