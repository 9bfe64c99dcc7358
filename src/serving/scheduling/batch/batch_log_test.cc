#include "serving/scheduling/batch/batch_log.h"

#include <gtest/gtest.h>

namespace inferd::scheduling {
namespace {

constexpr int64_t kMs = 1'000'000;

TEST(BatchLogTest, TellsWhenInWallTime) {
  BatchLog log;
  log.Add(100 * kMs, {.rows = 3});
  const auto records = log.Read(150 * kMs, 5'000 * kMs);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].rows, 3);
  EXPECT_EQ(records[0].started_wall_ms, 4'950);
}

TEST(BatchLogTest, KeepsTheLatest) {
  BatchLog log;
  const auto max = static_cast<int64_t>(core::SchedulerReport::kRecentMax);
  for (int64_t i = 0; i < max + 5; ++i) log.Add(0, {.rows = i});
  const auto records = log.Read(0, 0);
  ASSERT_EQ(records.size(), core::SchedulerReport::kRecentMax);
  EXPECT_EQ(records.front().rows, 5);
  EXPECT_EQ(records.back().rows, max + 4);
}

}  // namespace
}  // namespace inferd::scheduling
