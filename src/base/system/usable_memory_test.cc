#include "base/system/usable_memory.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/support/temp_dir.h"

namespace inferd::base {
namespace {

class UsableMemoryTest : public ::testing::Test {
 protected:
  void Write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((dir_.path() / file).parent_path());
    std::ofstream(dir_.path() / file) << text << "\n";
  }

  uint64_t Usable() const {
    return UsableMemoryBytes({.membership = dir_.path() / "membership", .mount = dir_.path() / "mount"});
  }

 private:
  inferd::support::TempDir dir_;
};

TEST_F(UsableMemoryTest, WithoutGroupsTheMachines) { EXPECT_GT(Usable(), 1 << 20); }

TEST_F(UsableMemoryTest, TheOwnGroupLimits) {
  const uint64_t machine = Usable();
  Write("membership", "0::/system.slice/inferd.service");
  Write("mount/system.slice/inferd.service/memory.max", "max");
  EXPECT_EQ(Usable(), machine);
  Write("mount/system.slice/inferd.service/memory.max", "1048576");
  EXPECT_EQ(Usable(), 1048576);
}

TEST_F(UsableMemoryTest, AGroupAboveLimitsToo) {
  Write("membership", "0::/slice/service");
  Write("mount/slice/memory.max", "2097152");
  Write("mount/slice/service/memory.max", "4194304");
  EXPECT_EQ(Usable(), 2097152);
}

TEST_F(UsableMemoryTest, InAContainerTheMountIsTheOwnGroup) {
  Write("membership", "0::/../../the/hosts/path");
  Write("mount/memory.max", "3145728");
  EXPECT_EQ(Usable(), 3145728);
}

TEST_F(UsableMemoryTest, TheFirstVersionsGroupsAreRead) {
  const uint64_t machine = Usable();
  Write("membership", "5:memory:/docker/1234\n4:cpu,cpuacct:/");
  Write("mount/memory/docker/1234/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_EQ(Usable(), machine);
  Write("mount/memory/docker/1234/memory.limit_in_bytes", "5242880");
  EXPECT_EQ(Usable(), 5242880);
}

}  // namespace
}  // namespace inferd::base
