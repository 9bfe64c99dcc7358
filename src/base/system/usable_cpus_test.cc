#include "base/system/usable_cpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>

#include "base/system/cpu_cores.h"
#include "tests/support/temp_dir.h"

namespace inferd::base {
namespace {

class UsableCpusTest : public ::testing::Test {
 protected:
  void Write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((dir_.path() / file).parent_path());
    std::ofstream(dir_.path() / file) << text << "\n";
  }

  int Usable() const { return UsableCpus({.membership = dir_.path() / "membership", .mount = dir_.path() / "mount"}); }

  const int allowed_ = static_cast<int>(ThreadCpuCores().size());

 private:
  support::TempDir dir_;
};

TEST_F(UsableCpusTest, WithoutGroupsThoseThatTheThreadMayRunOn) {
  EXPECT_EQ(Usable(), allowed_);
  std::thread([this] {
    ASSERT_TRUE(PinThread({ThreadCpuCores().back()}).ok());
    EXPECT_EQ(Usable(), 1);
  }).join();
}

TEST_F(UsableCpusTest, AQuotaIsRoundedUp) {
  Write("membership", "0::/");
  Write("mount/cpu.max", "10000 100000");
  EXPECT_EQ(Usable(), 1);
  Write("mount/cpu.max", "110000 100000");
  EXPECT_EQ(Usable(), std::min(allowed_, 2));
}

TEST_F(UsableCpusTest, AGroupAboveLimitsToo) {
  Write("membership", "0::/slice/service");
  Write("mount/slice/cpu.max", "100000 100000");
  Write("mount/slice/service/cpu.max", "max 100000");
  EXPECT_EQ(Usable(), 1);
}

TEST_F(UsableCpusTest, TheFirstVersionsGroupsAreRead) {
  Write("membership", "5:memory:/\n4:cpu,cpuacct:/docker/1234");
  Write("mount/cpu/cpu.cfs_quota_us", "50000");
  Write("mount/cpu/cpu.cfs_period_us", "100000");
  EXPECT_EQ(Usable(), 1);
  Write("mount/cpu/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(Usable(), allowed_);
}

TEST_F(UsableCpusTest, WhatMeansNothingIsNoLimit) {
  for (const std::string text : {"max 100000", "", "nonsense", "100000", "0 100000", "-5 100000", "100000 0"}) {
    Write("membership", "0::/../elsewhere\nnonsense");
    Write("mount/cpu.max", text);
    EXPECT_EQ(Usable(), allowed_) << text;
  }
}

}  // namespace
}  // namespace inferd::base
