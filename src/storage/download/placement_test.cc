#include "storage/download/placement.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/temp_dir.h"

namespace inferd::storage {
namespace {

namespace fs = std::filesystem;

class PlacementTest : public testing::Test {
 protected:
  static void Fill(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::string Text(const std::string& path) const {
    std::ifstream file(dir_.path() / path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  size_t Entries(const std::string& path) const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(dir_.path() / path), {}));
  }

  support::TempDir dir_;
};

TEST_F(PlacementTest, AFolderThatIsNotThereAppearsWhole) {
  {
    auto placement = Placement::Begin(dir_.path() / "new/model/");
    ASSERT_TRUE(placement.has_value()) << placement.error().ToString();
    Fill(placement->folder() / "1/a", "text");
    Fill(placement->scratch() / "archive", "not to come");
    EXPECT_FALSE(fs::exists(dir_.path() / "new/model"));
    ASSERT_TRUE(placement->Commit().ok());
  }
  EXPECT_EQ(Text("new/model/1/a"), "text");
  EXPECT_EQ(Entries("new"), 1U);
  EXPECT_EQ(Entries("new/model"), 1U);
}

TEST_F(PlacementTest, WithoutACommitNothingIsLeft) {
  {
    auto placement = Placement::Begin(dir_.path() / "model");
    ASSERT_TRUE(placement.has_value());
    Fill(placement->folder() / "a", "text");
  }
  EXPECT_EQ(Entries(""), 0U);
}

TEST_F(PlacementTest, InAFolderThatIsThereEntriesAreReplaced) {
  dir_.Write("model/file", "old");
  dir_.Write("model/folder/old", "old");
  dir_.Write("model/other", "stays");
  {
    auto placement = Placement::Begin(dir_.path() / "model");
    ASSERT_TRUE(placement.has_value()) << placement.error().ToString();
    Fill(placement->folder() / "file", "new");
    Fill(placement->folder() / "folder/new", "new");
    Fill(placement->folder() / "more", "new");
    ASSERT_TRUE(placement->Commit().ok());
  }
  EXPECT_EQ(Text("model/file"), "new");
  EXPECT_EQ(Text("model/more"), "new");
  EXPECT_EQ(Text("model/other"), "stays");
  EXPECT_EQ(Text("model/folder/new"), "new");
  EXPECT_FALSE(fs::exists(dir_.path() / "model/folder/old"));
  EXPECT_EQ(Entries("model"), 4U);
}

TEST_F(PlacementTest, WhatDiedProcessesLeftIsRemoved) {
  dir_.Write("models/.inferd-download-abcdef/model/half", "half");
  dir_.Write("models/.inferd-download-other-name/file", "stays");
  auto running = Placement::Begin(dir_.path() / "models/a");
  ASSERT_TRUE(running.has_value());
  auto next = Placement::Begin(dir_.path() / "models/b");
  ASSERT_TRUE(next.has_value());
  EXPECT_FALSE(fs::exists(dir_.path() / "models/.inferd-download-abcdef"));
  EXPECT_TRUE(fs::exists(dir_.path() / "models/.inferd-download-other-name"));
  EXPECT_TRUE(fs::exists(running->folder()));
}

TEST_F(PlacementTest, AFileInTheWayIsReplaced) {
  dir_.Write("model", "a file");
  auto placement = Placement::Begin(dir_.path() / "model");
  ASSERT_TRUE(placement.has_value());
  Fill(placement->folder() / "a", "text");
  ASSERT_TRUE(placement->Commit().ok());
  EXPECT_EQ(Text("model/a"), "text");
}

TEST_F(PlacementTest, AFolderThatCannotBeMadeIsAnError) {
  dir_.Write("file", "text");
  EXPECT_EQ(Placement::Begin(dir_.path() / "file/model").error().code(), base::StatusCode::kInternal);
}

}  // namespace
}  // namespace inferd::storage
