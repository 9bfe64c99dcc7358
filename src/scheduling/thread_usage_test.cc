#include "scheduling/thread_usage.h"

#include <gtest/gtest.h>

#include <thread>

namespace inferd::scheduling {
namespace {

TEST(ThreadUsageTest, GrowsWithTheThreadsOwnWork) {
  const ThreadUsage before = ThreadUsage::Now();
  ThreadUsage after = before;
  while (after.cpu_ns == before.cpu_ns) after = ThreadUsage::Now();
  EXPECT_GT(after.cpu_ns, before.cpu_ns);
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
