#include "base/system/cpu_cores.h"

#include <gtest/gtest.h>

#include <fstream>
#include <future>
#include <thread>

#include "tests/support/temp_dir.h"

namespace inferd::base {
namespace {

TEST(CpuCoresTest, ParsesTheKernelsLists) {
  EXPECT_EQ(ParseCpuCores("0"), CpuCores({0}));
  EXPECT_EQ(ParseCpuCores("0-3,8"), CpuCores({0, 1, 2, 3, 8}));
  EXPECT_EQ(ParseCpuCores("9,2-3,3"), CpuCores({2, 3, 9}));
  EXPECT_EQ(ParseCpuCores(""), CpuCores());
}

TEST(CpuCoresTest, RefusesWhatIsNoList) {
  for (const std::string_view text :
       {"a", "1-", "-1", "3-1", "1,", ",1", "1,,2", "1-2-3", "8192", "99999999999", " 1"}) {
    const auto cores = ParseCpuCores(text);
    ASSERT_FALSE(cores.has_value()) << text;
    EXPECT_EQ(cores.error().message(), "'" + std::string(text) + "' is no list of cores such as 0-3,8");
  }
}

TEST(CpuCoresTest, FormatsWhatItParses) {
  EXPECT_EQ(FormatCpuCores({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(FormatCpuCores({5}), "5");
  EXPECT_EQ(FormatCpuCores({}), "");
}

TEST(CpuCoresTest, PinsTheCallingThreadAlone) {
  const CpuCores before = ThreadCpuCores();
  ASSERT_FALSE(before.empty());
  std::thread([last = before.back()] {
    EXPECT_TRUE(PinThread({last}).ok());
    EXPECT_EQ(ThreadCpuCores(), CpuCores({last}));
    const Status status = PinThread({8191});
    EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
    EXPECT_EQ(status.message(), "this machine lets no thread run on cores 8191");
  }).join();
  EXPECT_EQ(ThreadCpuCores(), before);
}

TEST(CpuCoresTest, ThreadsThatAreMadeOnCoresStayThere) {
  const CpuCores before = ThreadCpuCores();
  const CpuCores last = {before.back()};
  CpuCores inherited;
  std::thread([&] {
    std::thread made;
    std::promise<void> over;
    {
      const OnCpuCores here(last);
      EXPECT_EQ(ThreadCpuCores(), last);
      made = std::thread([&inherited, end = over.get_future()]() mutable {
        end.wait();
        inherited = ThreadCpuCores();
      });
      const OnCpuCores nowhere(CpuCores{});
      const OnCpuCores beyond(CpuCores{8191});
      EXPECT_EQ(ThreadCpuCores(), last) << "neither moves it";
    }
    EXPECT_EQ(ThreadCpuCores(), before);
    over.set_value();
    made.join();
  }).join();
  EXPECT_EQ(inherited, last);
}

TEST(CpuCoresTest, ReadsNumaNodes) {
  const support::TempDir dir;
  std::filesystem::create_directories(dir.path() / "node1");
  std::ofstream(dir.path() / "node1" / "cpulist") << "2-3\n";
  EXPECT_EQ(NumaNodeCores(1, dir.path()), CpuCores({2, 3}));
  EXPECT_EQ(NumaNodeCores(0, dir.path()).error().message(), "there is no NUMA node 0");
}

}  // namespace
}  // namespace inferd::base
