#include "kserve/node/resources/process_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/temp_dir.h"

namespace inferd::node {
namespace {

class ProcessMemoryTest : public ::testing::Test {
 protected:
  void Add(int process, int parent, int group, int own_kib, int shared_kib, const std::string& name = "name") const {
    const auto folder = folder_.path() / std::to_string(process);
    create_directory(folder);
    std::ofstream(folder / "stat") << process << " (" << name << ") S " << parent << " " << group << " 1 0 -1\n";
    std::ofstream(folder / "status") << "Name:\t" << name << "\nVmRSS:\t 999999 kB\nRssAnon:\t" << own_kib
                                     << " kB\nRssFile:\t  77 kB\nRssShmem:\t" << shared_kib << " kB\nThreads:\t1\n";
  }

  const support::TempDir folder_;
  ProcessMemory memory_{folder_.path()};
};

TEST_F(ProcessMemoryTest, IsThatOfAllThatAProcessHasStarted) {
  create_directory(folder_.path() / "self");
  Add(50, 1, 50, 1, 0);
  Add(100, 50, 100, 10, 4, "odd) R 7 (name");
  Add(101, 100, 100, 20, 5);
  Add(30, 101, 30, 40, 0);  // in a group of its own
  Add(102, 1, 100, 80, 0);  // its parent has ended
  Add(200, 50, 200, 1000, 1000);
  EXPECT_EQ(memory_.BytesOf(100), 1024 * (10 + 20 + 40 + 80 + 5));
  EXPECT_EQ(memory_.BytesOf(30), 1024 * 40);
  EXPECT_EQ(memory_.BytesOf(999), 0);
}

TEST(ProcessMemory, OfThisOne) {
  ProcessMemory memory;
  const std::vector<char> much(size_t{8} << 20, 'x');
  EXPECT_GT(memory.BytesOf(getpid()), static_cast<int64_t>(much.size()));
}

}  // namespace
}  // namespace inferd::node
