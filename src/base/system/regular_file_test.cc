#include "base/system/regular_file.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace inferd::base {
namespace {

namespace fs = std::filesystem;

class RegularFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "regular-file-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    dir_ = pattern;
    std::ofstream(dir_ / "file") << "text";
  }
  void TearDown() override { fs::remove_all(dir_); }

  Result<std::string> Read(const std::string& name, size_t bytes_max = 100) {
    return ReadRegularFile(dir_ / name, bytes_max);
  }

  fs::path dir_;
};

TEST_F(RegularFileTest, AFileIsReadToItsEnd) {
  EXPECT_EQ(Read("file").value(), "text");
  EXPECT_EQ(Read("file", 4).value(), "text");
  EXPECT_EQ(Read("file", 3).error().code(), StatusCode::kInvalidArgument);
}

TEST_F(RegularFileTest, LinksToAFileAreFollowed) {
  fs::create_directory(dir_ / "..data");
  fs::rename(dir_ / "file", dir_ / "..data/file");
  fs::create_symlink("..data/file", dir_ / "file");
  EXPECT_EQ(Read("file").value(), "text");
}

TEST_F(RegularFileTest, WhatIsNotThereIsNotFound) {
  fs::create_symlink("nowhere", dir_ / "dangling");
  for (const char* name : {"none", "dangling", "file/x"}) {
    EXPECT_EQ(Read(name).error().code(), StatusCode::kNotFound) << name;
  }
}

TEST_F(RegularFileTest, WhatIsNoFileIsRefusedAtOnce) {
  ASSERT_EQ(mkfifo((dir_ / "pipe").c_str(), 0600), 0);
  fs::create_directory(dir_ / "folder");
  fs::create_symlink("/dev/zero", dir_ / "device");
  fs::create_symlink("pipe", dir_ / "link");
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string path = dir_ / "socket";
  ASSERT_LT(path.size(), sizeof(address.sun_path));
  std::memcpy(address.sun_path, path.c_str(), path.size());
  const FileDescriptor listening(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(bind(listening.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  for (const char* name : {"pipe", "folder", "device", "link", "socket"}) {
    EXPECT_EQ(Read(name).error(), InvalidArgument("'" + (dir_ / name).string() + "' is no regular file"));
  }
}

TEST_F(RegularFileTest, ALoopOfLinksIsSaidToBeOne) {
  fs::create_symlink("loop", dir_ / "loop");
  EXPECT_EQ(Read("loop").error().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace inferd::base
