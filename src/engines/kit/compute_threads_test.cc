#include "engines/kit/compute_threads.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/temp_dir.h"

namespace inferd::kit {
namespace {

TEST(ComputeThreadsTest, SmallModelsStayOnTheCallingThread) {
  const support::TempDir folder;
  inferd_load load = {};
  load.cpu_threads = 3;
  EXPECT_EQ(ComputeThreads(load, folder.path() / "none"), 1);
  folder.Write("graph", "small");
  EXPECT_EQ(ComputeThreads(load, folder.path()), 1);
  folder.Write("weights/big", std::string(1 << 20, 'w'));
  EXPECT_EQ(ComputeThreads(load, folder.path() / "graph"), 1);
  EXPECT_EQ(ComputeThreads(load, folder.path() / "weights/big"), 3);
  EXPECT_EQ(ComputeThreads(load, folder.path()), 3);
}

}  // namespace
}  // namespace inferd::kit
