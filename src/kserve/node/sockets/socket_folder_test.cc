#include "kserve/node/sockets/socket_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/temp_dir.h"

namespace inferd::node {
namespace {

namespace fs = std::filesystem;

TEST(SocketFolderTest, IsThisUsersAlone) {
  fs::path folder;
  {
    const auto sockets = SocketFolder::Make();
    ASSERT_TRUE(sockets.has_value()) << sockets.error().message();
    const fs::path first = (*sockets)->TakePath();
    folder = first.parent_path();
    EXPECT_NE((*sockets)->TakePath(), first.string());
    struct stat status{};
    ASSERT_EQ(stat(folder.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700U);
  }
  EXPECT_FALSE(fs::exists(folder));
}

TEST(SocketFolderTest, PathsFitIntoAnAddress) {
  const support::TempDir long_folder;
  const fs::path parent = long_folder.path() / std::string(80, 'x');
  fs::create_directories(parent);
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", parent.c_str(), 1);
  const auto sockets = SocketFolder::Make();
  if (before == nullptr) {
    unsetenv("TMPDIR");
  } else {
    setenv("TMPDIR", kept.c_str(), 1);
  }
  ASSERT_TRUE(sockets.has_value()) << sockets.error().message();
  EXPECT_LE((*sockets)->TakePath().size() + std::string(".http").size(), 107U);
}

}  // namespace
}  // namespace inferd::node
