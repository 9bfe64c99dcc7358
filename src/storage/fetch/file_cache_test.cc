#include "storage/fetch/file_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <vector>

#include "tests/support/temp_dir.h"

namespace inferd::storage {
namespace {

namespace fs = std::filesystem;

class FileCacheTest : public testing::Test {
 protected:
  static RemoteFile File(const std::string& key, uint64_t size, const std::string& tag = "tag") {
    return {.key = key, .size = size, .tag = tag};
  }
  void Keep(const RemoteFile& file, const std::string& bytes, const std::string& place = "place") {
    dir_.Write("file", bytes);
    const base::Status status = cache_.Keep(place, file, dir_.path() / "file");
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  // Returns the file's bytes, or "none" if it is not cached.
  std::string Take(const RemoteFile& file, const std::string& place = "place") {
    const fs::path local = dir_.path() / "taken";
    fs::remove(local);
    const auto taken = cache_.Take(place, file, local);
    EXPECT_TRUE(taken.has_value()) << taken.error().ToString();
    EXPECT_EQ(fs::exists(local), *taken);
    if (!*taken) return "none";
    std::ifstream stream(local);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::vector<fs::path> Kept() const {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(dir_.path() / "cache")) paths.push_back(entry.path());
    return paths;
  }

  support::TempDir dir_;
  const FileCache cache_ = *FileCache::Open(dir_.path() / "cache");
};

TEST_F(FileCacheTest, AFileIsKnownByAllThatIsSaidOfIt) {
  Keep(File("a", 5), "bytes");
  EXPECT_EQ(Take(File("a", 5)), "bytes");
  EXPECT_EQ(Take(File("b", 5)), "none");
  EXPECT_EQ(Take(File("a", 6)), "none");
  EXPECT_EQ(Take(File("a", 5, "other")), "none");
  EXPECT_EQ(Take(File("a", 5), "other"), "none");
}

TEST_F(FileCacheTest, AFileWithoutATagIsNotKept) {
  Keep(File("a", 5, ""), "bytes");
  EXPECT_EQ(Take(File("a", 5, "")), "none");
  EXPECT_TRUE(Kept().empty());
}

TEST_F(FileCacheTest, WhatIsDoneToACopyDoesNotReachIt) {
  Keep(File("a", 5), "bytes");
  std::ofstream(dir_.path() / "file") << "other";
  Take(File("a", 5));
  std::ofstream(dir_.path() / "taken") << "other";
  EXPECT_EQ(Take(File("a", 5)), "bytes");
}

TEST_F(FileCacheTest, AFileOfAnotherSizeGoes) {
  Keep(File("a", 5), "bytes");
  ASSERT_EQ(Kept().size(), 1U);
  fs::resize_file(Kept().front(), 3);
  EXPECT_EQ(Take(File("a", 5)), "none");
  EXPECT_TRUE(Kept().empty());
}

TEST_F(FileCacheTest, TheLongestUnusedGoFirst) {
  Keep(File("a", 4), "aaaa");
  Keep(File("b", 4), "bbbb");
  Keep(File("c", 4), "cccc");
  for (const fs::path& path : Kept()) {  // all were used long ago
    const timespec times[2] = {{.tv_sec = 1, .tv_nsec = 0}, {.tv_sec = 1, .tv_nsec = 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }
  Take(File("b", 4));
  cache_.Trim(12);
  EXPECT_EQ(Kept().size(), 3U);
  cache_.Trim(7);
  EXPECT_EQ(Kept().size(), 1U);
  EXPECT_EQ(Take(File("b", 4)), "bbbb");
}

TEST_F(FileCacheTest, WhatDiedProcessesLeftIsRemoved) {
  dir_.Write("cache/.inferd-cache-abcdef/file", "half");
  ASSERT_TRUE(FileCache::Open(dir_.path() / "cache").has_value());
  EXPECT_TRUE(Kept().empty());
}

TEST_F(FileCacheTest, AFolderThatCannotBeMadeIsAnError) {
  dir_.Write("in-the-way", "a file");
  EXPECT_EQ(FileCache::Open(dir_.path() / "in-the-way/cache").error().code(), base::StatusCode::kInternal);
}

}  // namespace
}  // namespace inferd::storage
