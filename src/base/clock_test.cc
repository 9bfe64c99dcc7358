#include "base/clock.h"

#include <gtest/gtest.h>

namespace inferd::base {
namespace {

TEST(SystemClockTest, MonotonicTimeNeverGoesBack) {
  const SystemClock clock;
  int64_t last = clock.NowNs();
  for (int i = 0; i < 1000; ++i) {
    const int64_t now = clock.NowNs();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(SystemClockTest, WallTimeIsSinceTheEpoch) {
  constexpr int64_t k2020 = 1'577'836'800'000'000'000;
  EXPECT_GT(SystemClock().WallNs(), k2020);
}

TEST(FakeClockTest, MovesOnlyWhenTold) {
  FakeClock clock(5);
  EXPECT_EQ(clock.NowNs(), 5);
  clock.AdvanceMs(2);
  EXPECT_EQ(clock.NowNs(), 2'000'005);
  EXPECT_EQ(clock.WallNs(), clock.NowNs());
}

}  // namespace
}  // namespace inferd::base
