#include "kserve/node/work_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "tests/support/temp_dir.h"

namespace inferd::node {
namespace {

namespace fs = std::filesystem;

TEST(WorkFolderTest, ATemporaryOneGoesAtItsEnd) {
  fs::path path;
  {
    const auto folder = WorkFolder::Make("");
    ASSERT_TRUE(folder.has_value());
    EXPECT_TRUE(folder->temporary());
    path = folder->path();
    EXPECT_TRUE(fs::is_directory(path));
    // The folder of a running controller is not removed.
    ASSERT_TRUE(WorkFolder::Make("").has_value());
    EXPECT_TRUE(fs::is_directory(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(WorkFolderTest, ModelsOfBeforeGoAndOtherFilesStay) {
  const support::TempDir dir;
  dir.Write("state/objects.db", "x");
  dir.Write("state/models/default/a-00001/model", "x");
  const fs::path state = dir.path() / "state";
  {
    auto folder = WorkFolder::Make(state.string());
    ASSERT_TRUE(folder.has_value());
    EXPECT_FALSE(folder->temporary());
    EXPECT_EQ(fs::status(state).permissions(), fs::perms::owner_all);
    EXPECT_TRUE(fs::exists(state / "models/default/a-00001/model")) << "it may be another controller's";
    EXPECT_EQ(folder->ClaimModels().value(), (state / "models").string());
    EXPECT_FALSE(fs::exists(state / "models/default"));
    dir.Write("state/models/default/b-00001/model", "x");
  }
  EXPECT_FALSE(fs::exists(state / "models"));
  EXPECT_TRUE(fs::exists(state / "objects.db"));
}

TEST(WorkFolderTest, OneThatCannotBeMadeIsSaid) {
  const support::TempDir dir;
  dir.Write("file", "x");
  const std::string path = (dir.path() / "file" / "below").string();
  const auto folder = WorkFolder::Make(path);
  ASSERT_FALSE(folder.has_value());
  EXPECT_EQ(folder.error().code(), base::StatusCode::kUnavailable);
  EXPECT_EQ(folder.error().message(), "the folder '" + path + "' cannot be made: Not a directory");
}

}  // namespace
}  // namespace inferd::node
