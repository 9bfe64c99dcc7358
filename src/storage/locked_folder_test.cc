#include "storage/locked_folder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>
#include <vector>

#include "tests/support/temp_dir.h"

namespace inferd::storage {
namespace {

constexpr std::string_view kPrefix = ".locked-";

TEST(LockedFolderTest, OnlyAbandonedOnesAreRemoved) {
  const support::TempDir parent;
  std::filesystem::create_directory(parent.path() / ".locked-abcdef");
  std::filesystem::create_directory(parent.path() / ".locked-of another length");
  const auto held = LockedFolder::Create(parent.path(), kPrefix);
  ASSERT_TRUE(held.has_value());
  EXPECT_EQ(RemoveAbandonedFolders(parent.path(), kPrefix), 1U);
  EXPECT_TRUE(std::filesystem::exists(held->path()));
  EXPECT_TRUE(std::filesystem::exists(parent.path() / ".locked-of another length"));
}

TEST(LockedFolderTest, ThoseThatAreMadeMeanwhileStay) {
  const support::TempDir parent;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&parent] {
      for (int round = 0; round < 200; ++round) {
        RemoveAbandonedFolders(parent.path(), kPrefix);
        const auto held = LockedFolder::Create(parent.path(), kPrefix);
        ASSERT_TRUE(held.has_value()) << held.error().message();
        std::ofstream file(held->path() / "file");
        EXPECT_TRUE(file << "text") << held->path();
        EXPECT_TRUE(std::filesystem::exists(held->path() / "file"));
      }
    });
  }
}

}  // namespace
}  // namespace inferd::storage
