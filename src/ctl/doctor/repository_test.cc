#include "ctl/doctor/repository.h"

#include <gmock/gmock.h>

#include <unistd.h>

#include "tests/support/temp_dir.h"

namespace inferd::ctl {
namespace {

using ::testing::HasSubstr;
using Level = Finding::Level;

TEST(RepositoryTest, CountsModelsAndBytes) {
  const support::TempDir folder;
  folder.Write("a/1/model.onnx", "12345");
  folder.Write("a/config.pbtxt", "1");
  folder.Write("b/1/model.onnx", "12");
  folder.Write(".hidden/model.onnx", "12345");
  const Repository repository = ReadRepository(folder.path());
  EXPECT_TRUE(repository.is_there);
  EXPECT_TRUE(repository.is_counted);
  EXPECT_EQ(repository.models, 2u);
  EXPECT_EQ(repository.bytes, 8u);
  EXPECT_GT(repository.disk_bytes, 0u);
  const Findings findings = JudgeRepository(repository, true);
  EXPECT_EQ(findings[0].level, Level::kOk);
  EXPECT_THAT(findings[0].found, HasSubstr("2 models, 8 B"));
}

TEST(RepositoryTest, ACircleEnds) {
  const support::TempDir folder;
  folder.Write("a/1/model.onnx", "1");
  std::filesystem::create_directory_symlink(folder.path(), folder.path() / "a/again");
  EXPECT_FALSE(ReadRepository(folder.path()).is_counted);
}

TEST(RepositoryTest, WhatIsNotThere) {
  const support::TempDir folder;
  const Repository repository = ReadRepository(folder.path() / "none");
  EXPECT_FALSE(repository.is_there);
  EXPECT_EQ(JudgeRepository(repository, true)[0].level, Level::kProblem);
  EXPECT_EQ(JudgeRepository(repository, false)[0].level, Level::kOk);
  EXPECT_EQ(JudgeRepository(ReadRepository(folder.path()), true)[0].level, Level::kProblem) << "it is empty";
  EXPECT_EQ(JudgeRepository(ReadRepository(folder.path()), false)[0].level, Level::kAdvice);
}

TEST(RepositoryTest, WhatCannotBeReadIsAProblem) {
  Repository repository{.path = "models", .is_there = true, .unreadable = "'models/a': Permission denied", .models = 1};
  EXPECT_EQ(JudgeRepository(repository, false)[0].level, Level::kProblem);
  EXPECT_THAT(JudgeRepository(repository, false)[0].found, HasSubstr("'models/a': Permission denied"));
}

TEST(RepositoryTest, AFullDiskIsAProblem) {
  Repository repository{.path = "models", .is_there = true, .unreadable = {}, .models = 1};
  repository.disk_bytes = uint64_t{1} << 40;
  const auto level = [&](uint64_t left) {
    repository.disk_free = left;
    return JudgeRepository(repository, false)[1].level;
  };
  EXPECT_EQ(level(0), Level::kProblem);
  EXPECT_EQ(level(uint64_t{500} << 20), Level::kAdvice);
  EXPECT_EQ(level(uint64_t{2} << 30), Level::kOk);
}

}  // namespace
}  // namespace inferd::ctl
