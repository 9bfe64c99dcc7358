#include "ctl/import/listing.h"

#include <gmock/gmock.h>

#include "tests/support/temp_dir.h"

namespace inferd::ctl {
namespace {

using ::testing::ElementsAre;

TEST(ListingTest, SortsFoldersAndFiles) {
  const support::TempDir folder;
  folder.Write("b/x", "");
  folder.Write("a/2/x", "");
  folder.Write("z.txt", "text");
  folder.Write(".hidden/x", "");
  std::filesystem::create_directory_symlink(folder.path() / "a", folder.path() / "link");
  const auto listing = ListFolder(folder.path());
  ASSERT_TRUE(listing.has_value());
  EXPECT_THAT(listing->folders, ElementsAre("a", "b", "link"));
  EXPECT_THAT(listing->files, ElementsAre("z.txt"));
  EXPECT_TRUE(HasVersionFolders(folder.path() / "a"));
  EXPECT_FALSE(HasVersionFolders(folder.path() / "b"));
  EXPECT_EQ(ReadSettings(folder.path() / "z.txt").value(), "text");
}

TEST(ListingTest, WhatIsNoFolderIsAnError) {
  const support::TempDir folder;
  folder.Write("file", "");
  EXPECT_EQ(ListFolder(folder.path() / "none").error().code(), base::StatusCode::kNotFound);
  EXPECT_EQ(ListFolder(folder.path() / "file").error().code(), base::StatusCode::kNotFound);
  EXPECT_FALSE(HasVersionFolders(folder.path() / "none"));
  EXPECT_FALSE(ReadSettings(folder.path()).has_value());
}

TEST(ListingTest, ManyEntriesAreRefused) {
  const support::TempDir folder;
  for (const char* name : {"a", "b/x", "c/x"}) folder.Write(name, "");
  EXPECT_TRUE(ListFolder(folder.path(), 3).has_value());
  EXPECT_EQ(ListFolder(folder.path(), 2).error().code(), base::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace inferd::ctl
