#include "data/zip/zip_directory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/system/file_descriptor.h"
#include "data/zip/zip_fixture.h"

namespace inferd::zip {
namespace {

base::FileDescriptor FileWith(const std::string& content) {
  base::FileDescriptor file(memfd_create("zip", MFD_CLOEXEC));
  EXPECT_EQ(write(file.get(), content.data(), content.size()), static_cast<ssize_t>(content.size()));
  return file;
}

TEST(ZipDirectoryTest, HasTheFilesInTheirOrder) {
  for (const bool large : {false, true}) {
    const auto file = FileWith(MakeZip({"b/c.txt", "a"}, large));
    const auto entries = ReadDirectory(file.get());
    ASSERT_EQ(entries.size(), 2u);
    EXPECT_EQ(entries[0].name, "b/c.txt");
    EXPECT_EQ(entries[1].name, "a");
    EXPECT_EQ(entries[1].method, kStored);
    EXPECT_EQ(entries[1].size, 1u);
    EXPECT_EQ(ReadPacked(file.get(), entries[1], 10).value(), "x");
  }
}

TEST(ZipDirectoryTest, WhatIsNoArchiveHasNoFiles) {
  EXPECT_TRUE(ReadDirectory(FileWith("").get()).empty());
  EXPECT_TRUE(ReadDirectory(FileWith(std::string(100, 'x')).get()).empty());
  EXPECT_TRUE(ReadDirectory(-1).empty());
  const std::string whole = MakeZip({"a", "b"});
  for (size_t size = 0; size < whole.size(); ++size) (void)ReadDirectory(FileWith(whole.substr(0, size)).get());
}

TEST(ZipDirectoryTest, FilesThatAreNotThereAreErrors) {
  const auto file = FileWith(MakeZip({"a"}));
  Entry entry = ReadDirectory(file.get()).at(0);
  EXPECT_FALSE(ReadPacked(file.get(), entry, 0).has_value()) << "too large";
  entry.header_offset = 1;
  EXPECT_FALSE(ReadPacked(file.get(), entry, 10).has_value());
  entry.header_offset = UINT32_MAX;
  EXPECT_FALSE(ReadPacked(file.get(), entry, 10).has_value());
  entry.header_offset = 0;
  entry.packed_size = 1000;
  EXPECT_FALSE(ReadPacked(file.get(), entry, 10000).has_value());
}

}  // namespace
}  // namespace inferd::zip
