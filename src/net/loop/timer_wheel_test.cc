#include "net/loop/timer_wheel.h"

#include <gtest/gtest.h>

#include <random>

namespace inferd::net {
namespace {

using std::chrono::milliseconds;

constexpr int64_t kStart = 1'000'000'000;
constexpr int64_t Ms(int64_t ms) { return kStart + ms * 1'000'000; }

TEST(TimerWheelTest, FiresAtItsTimeAndNotBefore) {
  TimerWheel wheel(kStart);
  int fired = 0;
  wheel.Add(kStart, milliseconds(50), [&] { ++fired; });
  wheel.Advance(Ms(49));
  EXPECT_EQ(fired, 0);
  wheel.Advance(Ms(50));
  EXPECT_EQ(fired, 1);
  wheel.Advance(Ms(1000));
  EXPECT_EQ(fired, 1);
  EXPECT_EQ(wheel.size(), 0u);
}

TEST(TimerWheelTest, ATimeBeyondOneRoundWaitsForItsRound) {
  TimerWheel wheel(kStart);
  int fired = 0;
  wheel.Add(kStart, milliseconds(20'000), [&] { ++fired; });
  for (int64_t ms = 0; ms < 20'000; ms += 100) wheel.Advance(Ms(ms));
  EXPECT_EQ(fired, 0);
  wheel.Advance(Ms(20'000));
  EXPECT_EQ(fired, 1);
}

TEST(TimerWheelTest, ALongPauseFiresAllThatIsDue) {
  TimerWheel wheel(kStart);
  int fired = 0;
  for (int i = 1; i <= 100; ++i) wheel.Add(kStart, milliseconds(i * 97), [&] { ++fired; });
  wheel.Advance(Ms(60'000));
  EXPECT_EQ(fired, 100);
}

TEST(TimerWheelTest, CancelledNeverFires) {
  TimerWheel wheel(kStart);
  int fired = 0;
  const TimerWheel::Id id = wheel.Add(kStart, milliseconds(10), [&] { ++fired; });
  wheel.Cancel(id);
  wheel.Cancel(id);
  wheel.Cancel(0);
  wheel.Cancel(~TimerWheel::Id{0});
  // The place is reused, with another id.
  wheel.Add(kStart, milliseconds(10), [&] { fired += 10; });
  wheel.Cancel(id);
  wheel.Advance(Ms(100));
  EXPECT_EQ(fired, 10);
}

TEST(TimerWheelTest, TasksMayAddAndCancel) {
  TimerWheel wheel(kStart);
  int fired = 0;
  TimerWheel::Id other = 0;
  wheel.Add(kStart, milliseconds(10), [&] {
    ++fired;
    wheel.Cancel(other);
    wheel.Add(Ms(10), milliseconds(0), [&] { ++fired; });
  });
  other = wheel.Add(kStart, milliseconds(20), [&] { fired += 100; });
  wheel.Advance(Ms(10));
  EXPECT_EQ(fired, 1);
  wheel.Advance(Ms(40));
  EXPECT_EQ(fired, 2);
}

TEST(TimerWheelTest, NextIsNeverTooLate) {
  std::mt19937 random(7);
  TimerWheel wheel(kStart);
  EXPECT_FALSE(wheel.NextNs().has_value());
  int64_t now = kStart;
  int fired = 0;
  for (int i = 0; i < 500; ++i) {
    const auto delay = milliseconds(random() % 12'000);
    const int64_t due = now + std::chrono::nanoseconds(delay).count();
    wheel.Add(now, delay, [&fired, &now, due] {
      ++fired;
      EXPECT_GE(now, due);
      EXPECT_LE(now, due + TimerWheel::kTickNs);
    });
    if (i % 3 != 0) continue;
    now = std::max(now, *wheel.NextNs());
    wheel.Advance(now);
  }
  while (wheel.NextNs().has_value()) {
    now = std::max(now, *wheel.NextNs());
    wheel.Advance(now);
  }
  EXPECT_EQ(fired, 500);
}

}  // namespace
}  // namespace inferd::net
