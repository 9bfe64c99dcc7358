#include "serving/scheduling/thread_usage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace inferd::scheduling {
namespace {

TEST(ThreadUsageTest, GrowsWithTheThreadsOwnWork) {
  const ThreadUsage before = ThreadUsage::Now();
  ThreadUsage after = before;
  while (after.cpu_ns == before.cpu_ns) after = ThreadUsage::Now();
  EXPECT_GT(after.cpu_ns, before.cpu_ns);
}

// Pieces of work of some microseconds each, over many kernel ticks.
TEST(ThreadUsageTest, NoWorkHasUsedMoreThanTheTimeThatPassed) {
  const auto clock_ns = [] {
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  };
  const int64_t end_ns = clock_ns() + 200'000'000;
  int64_t most_over_ns = 0;
  while (clock_ns() < end_ns) {
    const int64_t started_ns = clock_ns();
    const ThreadUsage before = ThreadUsage::Now();
    for (volatile int i = 0; i < 5'000; i = i + 1) {
    }
    const int64_t used_ns = ThreadUsage::Now().cpu_ns - before.cpu_ns;
    most_over_ns = std::max(most_over_ns, used_ns - (clock_ns() - started_ns));
  }
  EXPECT_LT(most_over_ns, 100'000) << "two clocks may differ by less than that";
}

TEST(ThreadUsageTest, CountsWaits) {
  const ThreadUsage before = ThreadUsage::Now();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GT(ThreadUsage::Now().waits, before.waits);
}

TEST(ThreadUsageTest, ALostCoreIsNobodysFault) {
  EXPECT_EQ(BlamedNs(5'000'000, {.cpu_ns = 1'000, .waits = 7}, {.cpu_ns = 4'000, .waits = 7}), 3'000);
  EXPECT_EQ(BlamedNs(5'000'000, {.cpu_ns = 1'000, .waits = 7}, {.cpu_ns = 4'000, .waits = 8}), 5'000'000);
  EXPECT_EQ(BlamedNs(500, {.cpu_ns = 0, .waits = 0}, {.cpu_ns = 1'000, .waits = 0}), 500);
}

}  // namespace
}  // namespace inferd::scheduling
