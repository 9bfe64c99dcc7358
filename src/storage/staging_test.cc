#include "storage/staging.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/support/temp_dir.h"

namespace inferd::storage {
namespace {

using base::StatusCode;

TEST(StagingTest, PathsThatMayBeNamed) {
  for (const char* path : {"1/model.onnx", "config.pbtxt", "1/a/b..c", "1/...", "1/.hidden"}) {
    EXPECT_TRUE(CheckRelativePath(path).ok()) << path;
  }
}

TEST(StagingTest, PathsThatMayNot) {
  const std::string with_nul("1/a\0b", 5);
  for (const std::string& path :
       {std::string(), std::string("/etc/passwd"), std::string("../x"), std::string("1/../../x"), std::string("1/.."),
        std::string("1//x"), std::string("1/"), std::string("./x"), std::string("a\\b"), with_nul,
        std::string(1025, 'a'), std::string(256, 'a')}) {
    EXPECT_EQ(CheckRelativePath(path).code(), StatusCode::kInvalidArgument) << path;
  }
}

TEST(StagingTest, ModelNames) {
  EXPECT_TRUE(CheckModelName("resnet-50.v2").ok());
  for (const std::string& name :
       {std::string(), std::string(".."), std::string(".git"), std::string("a/b"), std::string("a\nb"),
        std::string(256, 'a'), std::string("caf\xE9"), std::string("a\x7f"), std::string("a\xC2\x9b")}) {
    EXPECT_EQ(CheckModelName(name).code(), StatusCode::kInvalidArgument) << name;
  }
  EXPECT_TRUE(CheckModelName("mod\xC3\xA8le").ok());
  EXPECT_TRUE(CheckModelName("a\x1b\xff").message().starts_with(R"('a\x1b\xff' is no name of a model)"));
}

TEST(StagingTest, WhatAServerLeftIsRemovedAndWhatALivingOneHasIsNot) {
  inferd::support::TempDir dir;
  const auto living = StagingFolder::Create(dir.path(), {{"1/model.onnx", "x"}});
  ASSERT_TRUE(living.has_value());
  dir.Write("inferd-load-abcdef/1/model.onnx", "left by a server that was killed");
  dir.Write("inferd-load-notes.txt", "another's");
  dir.Write("other/file", "another's");
  EXPECT_EQ(RemoveAbandonedStaging(dir.path()), 1);
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "inferd-load-abcdef"));
  EXPECT_TRUE(std::filesystem::exists((*living)->path() / "1/model.onnx"));
  EXPECT_TRUE(std::filesystem::exists(dir.path() / "inferd-load-notes.txt"));
  EXPECT_TRUE(std::filesystem::exists(dir.path() / "other/file"));
  EXPECT_EQ(RemoveAbandonedStaging(dir.path() / "nothing here"), 0);
}

TEST(StagingTest, HoldsTheFilesWhileItLives) {
  inferd::support::TempDir dir;
  std::filesystem::path path;
  {
    const auto staging =
        StagingFolder::Create(dir.path(), {{"1/model.onnx", std::string("a\0b", 3)}, {"labels.txt", ""}});
    ASSERT_TRUE(staging.has_value()) << staging.error().ToString();
    path = (*staging)->path();
    std::ifstream in(path / "1/model.onnx", std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), std::string("a\0b", 3));
    EXPECT_TRUE(std::filesystem::exists(path / "labels.txt"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(StagingTest, RefusesBadFilesAndLeavesNothing) {
  inferd::support::TempDir dir;
  EXPECT_EQ(StagingFolder::Create(dir.path(), {{"../x", ""}}).error().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(StagingFolder::Create(dir.path(), {{"1/x", ""}, {"1/x", ""}}).error().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(StagingFolder::Create(dir.path(), {{"1", ""}, {"1/x", ""}}).error().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

}  // namespace
}  // namespace inferd::storage
