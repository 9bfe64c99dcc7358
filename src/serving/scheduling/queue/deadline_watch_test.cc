#include "serving/scheduling/queue/deadline_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <future>
#include <vector>

namespace inferd::scheduling {
namespace {

TEST(DeadlineWatchTest, CallsWhatIsDueAndNoSooner) {
  base::FakeClock clock;
  DeadlineWatch watch(clock, false);
  int calls = 0;
  const auto id = watch.Add([&] { return ++calls, 0; });
  watch.Arm(id, clock.NowNs() + 10);
  watch.RunDue();
  EXPECT_EQ(calls, 0);
  clock.AdvanceNs(10);
  watch.RunDue();
  EXPECT_EQ(calls, 1);
  watch.RunDue();
  EXPECT_EQ(calls, 1) << "not armed any more";
}

TEST(DeadlineWatchTest, TheEarlierOfTwoArmingsCounts) {
  base::FakeClock clock;
  DeadlineWatch watch(clock, false);
  int calls = 0;
  const auto id = watch.Add([&] { return ++calls, 0; });
  watch.Arm(id, clock.NowNs() + 10);
  watch.Arm(id, clock.NowNs() + 50);
  clock.AdvanceNs(10);
  watch.RunDue();
  EXPECT_EQ(calls, 1);
}

TEST(DeadlineWatchTest, ACallbackMayAskForTheNextTime) {
  base::FakeClock clock;
  DeadlineWatch watch(clock, false);
  int calls = 0;
  const auto id = watch.Add([&]() -> int64_t { return ++calls == 1 ? clock.NowNs() + 5 : 0; });
  watch.Arm(id, clock.NowNs());
  watch.RunDue();
  clock.AdvanceNs(5);
  watch.RunDue();
  EXPECT_EQ(calls, 2);
}

TEST(DeadlineWatchTest, RemovedIsNeverCalled) {
  base::FakeClock clock;
  DeadlineWatch watch(clock, false);
  int calls = 0;
  const auto id = watch.Add([&] { return ++calls, 0; });
  watch.Arm(id, clock.NowNs());
  watch.Remove(id);
  watch.RunDue();
  watch.Arm(id, clock.NowNs());
  watch.RunDue();
  EXPECT_EQ(calls, 0);
}

TEST(DeadlineWatchTest, OfManyThoseAreCalledThatAreDueInTheOrderOfTheirTimes) {
  base::FakeClock clock;
  DeadlineWatch watch(clock, false);
  const int64_t begin_ns = clock.NowNs();
  std::vector<int64_t> called;
  std::vector<DeadlineWatch::Id> ids;
  for (int64_t i = 0; i < 1000; ++i) {
    ids.push_back(watch.Add([&called, i] { return called.push_back(i), 0; }));
    // The second time is earlier, and so it counts.
    watch.Arm(ids.back(), begin_ns + 5000 - i);
    watch.Arm(ids.back(), begin_ns + 2000 - i);
  }
  for (size_t i = 0; i < ids.size(); i += 2) watch.Remove(ids[i]);
  clock.AdvanceNs(1003);
  watch.RunDue();
  EXPECT_EQ(called, (std::vector<int64_t>{999, 997}));
  clock.AdvanceNs(5000);
  watch.RunDue();
  EXPECT_EQ(called.size(), 500u);
  EXPECT_TRUE(std::ranges::is_sorted(called, std::greater<>()));
}

TEST(DeadlineWatchTest, OneThatIsArmedAgainWhileItRunsIsCalledAgain) {
  base::FakeClock clock;
  DeadlineWatch watch(clock, false);
  int calls = 0;
  DeadlineWatch::Id id = 0;
  id = watch.Add([&]() -> int64_t {
    if (++calls == 1) watch.Arm(id, clock.NowNs() + 3);
    return clock.NowNs() + 7;
  });
  watch.Arm(id, clock.NowNs());
  watch.RunDue();
  clock.AdvanceNs(3);
  watch.RunDue();
  EXPECT_EQ(calls, 2) << "the earlier one counts";
}

TEST(DeadlineWatchTest, TheThreadWakesForAnEarlierDeadline) {
  base::SystemClock clock;
  DeadlineWatch watch(clock);
  std::promise<void> called;
  const auto far = watch.Add([] { return int64_t{0}; });
  const auto near = watch.Add([&]() -> int64_t { return called.set_value(), 0; });
  watch.Arm(far, clock.NowNs() + int64_t{3600} * 1'000'000'000);
  watch.Arm(near, clock.NowNs() + 1'000'000);
  called.get_future().wait();
  watch.Remove(near);
}

}  // namespace
}  // namespace inferd::scheduling
