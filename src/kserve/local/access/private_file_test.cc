#include "kserve/local/access/private_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/system/regular_file.h"
#include "tests/support/temp_dir.h"

namespace inferd::local {
namespace {

namespace fs = std::filesystem;

int ModeOf(const fs::path& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 ? static_cast<int>(info.st_mode & 07777) : -1;
}

TEST(PrivateFileTest, IsItsOwnersAloneWhateverWasThere) {
  const support::TempDir folder;
  const std::string path = (folder.path() / "file").string();
  folder.Write("target", "precious");
  fs::create_symlink(folder.path() / "target", path);
  folder.Write("file.next", "of a process that was killed");
  ASSERT_TRUE(WritePrivateFile(path, "one").ok());
  fs::permissions(path, fs::perms::all);
  ASSERT_TRUE(WritePrivateFile(path, "two").ok());
  EXPECT_EQ(base::ReadRegularFile(path, 100).value_or(""), "two");
  EXPECT_EQ(ModeOf(path), 0600);
  EXPECT_EQ(base::ReadRegularFile((folder.path() / "target").string(), 100).value_or(""), "precious");
  EXPECT_FALSE(fs::exists(path + ".next"));
  EXPECT_EQ(WritePrivateFile((folder.path() / "none" / "file").string(), "x").code(), base::StatusCode::kUnavailable);
}

TEST(PrivateFolderTest, IsMadeWithThoseAroundIt) {
  const support::TempDir folder;
  const fs::path made = folder.path() / "a" / "b" / "inferd";
  ASSERT_TRUE(MakePrivateFolder(made.string()));
  EXPECT_EQ(ModeOf(made), 0700);
  fs::permissions(made, fs::perms::all);
  ASSERT_TRUE(MakePrivateFolder(made.string()));
  EXPECT_EQ(ModeOf(made), 0700);
}

TEST(PrivateFolderTest, IsNoLinkNoFileAndNotAnotherUsers) {
  const support::TempDir folder;
  folder.MakeDir("real");
  fs::create_symlink(folder.path() / "real", folder.path() / "link");
  EXPECT_FALSE(MakePrivateFolder((folder.path() / "link").string()));
  folder.Write("file", "");
  EXPECT_FALSE(MakePrivateFolder((folder.path() / "file").string()));
  EXPECT_FALSE(MakePrivateFolder("relative"));
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to have a folder of another user";
  ASSERT_EQ(chown((folder.path() / "real").c_str(), 4242, 4242), 0);
  EXPECT_FALSE(MakePrivateFolder((folder.path() / "real").string()));
  EXPECT_FALSE(MakePrivateFolder((folder.path() / "real" / "inferd").string()));
}

}  // namespace
}  // namespace inferd::local
