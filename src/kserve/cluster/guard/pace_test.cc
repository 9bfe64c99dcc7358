#include "kserve/cluster/guard/pace.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace inferd::cluster {
namespace {

using kubernetes::ObjectName;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

ObjectName OwnerNumber(int number) { return {"m", "s" + std::to_string(1000 + number)}; }

class PaceTest : public testing::Test {
 protected:
  Pace::Answer Ask(int number, const std::string& cause = "configuration", const std::string& wanted = "a") {
    return pace_.Ask({.cause = cause, .owner = OwnerNumber(number), .wanted = wanted}, owners_);
  }
  // Returns the owners, by number, that are admitted now.
  std::vector<int> Admitted(int from, int to, const std::string& cause = "configuration") {
    std::vector<int> admitted;
    for (int number = from; number < to; ++number) {
      if (Ask(number, cause).is_admitted) admitted.push_back(number);
    }
    return admitted;
  }

  size_t owners_ = 100;
  base::FakeClock clock_;
  Pace pace_{{}, clock_};
};

TEST_F(PaceTest, TheFirstMinuteIsTheLargerOfTheNumberAndTheShare) {
  EXPECT_EQ(FirstMinute({}, 0), 10U);
  EXPECT_EQ(FirstMinute({}, 54), 10U);
  EXPECT_EQ(FirstMinute({}, 100), 20U);
  EXPECT_EQ(FirstMinute({.at_once = 1, .percent = 0}, 1000), 1U);
}

TEST_F(PaceTest, AShareGoesInTheFirstMinuteAndThenTenAMinuteInOrder) {
  EXPECT_EQ(Admitted(0, 100).size(), 20U);
  clock_.AdvanceMs(59'999);
  EXPECT_THAT(Admitted(20, 100), IsEmpty());
  clock_.AdvanceMs(1);
  EXPECT_THAT(Admitted(20, 100), ElementsAre(20, 21, 22, 23, 24, 25, 26, 27, 28, 29));
  // The owner that asks first is admitted.
  clock_.AdvanceMs(60'000);
  EXPECT_FALSE(Ask(99).is_admitted);
  EXPECT_EQ(Admitted(30, 99).back(), 39);
}

TEST_F(PaceTest, TheWaitIsUntilTheTurn) {
  Admitted(0, 20);
  EXPECT_EQ(Ask(20).wait, std::chrono::milliseconds(60'001));
  for (int number = 21; number < 30; ++number) Ask(number);
  EXPECT_EQ(Ask(30).wait, std::chrono::milliseconds(120'001));
  clock_.AdvanceMs(60'001);
  EXPECT_TRUE(Ask(20).waited);
  EXPECT_TRUE(Ask(21).is_admitted);
  EXPECT_EQ(Ask(30).wait, std::chrono::milliseconds(60'001));
}

TEST_F(PaceTest, CausesDoNotWaitForEachOther) {
  EXPECT_EQ(Admitted(0, 50).size(), 20U);
  EXPECT_EQ(Admitted(50, 100, "runtime a").size(), 20U);
  EXPECT_THAT(pace_.Waiting(), ElementsAre(Pair("configuration", 30), Pair("runtime a", 30)));
  // The owner waits for its current cause.
  EXPECT_FALSE(Ask(49, "runtime a").is_admitted);
  EXPECT_THAT(pace_.Waiting(), ElementsAre(Pair("configuration", 29), Pair("runtime a", 31)));
}

TEST_F(PaceTest, TheSameChangeIsCountedOnce) {
  EXPECT_EQ(Admitted(0, 20).size(), 20U);
  EXPECT_EQ(Admitted(0, 20).size(), 20U) << "the write failed, or is not heard of";
  EXPECT_FALSE(Ask(0, "configuration", "b").is_admitted);
  clock_.AdvanceMs(60'000);
  for (int number = 20; number < 30; ++number)
    EXPECT_TRUE(Ask(number, "configuration", "b").is_admitted || number == 29);
  EXPECT_FALSE(Ask(1).is_admitted) << "later it is another change";
}

TEST_F(PaceTest, AChangeThatIsAdmittedWithoutAskingIsNotCounted) {
  for (int number = 0; number < 50; ++number) pace_.Admit({.cause = "", .owner = OwnerNumber(number), .wanted = "a"});
  EXPECT_EQ(Admitted(0, 100).size(), 70U);
}

TEST_F(PaceTest, OneThatIsForgottenOrDoesNotAskIsNotInTheWay) {
  Admitted(0, 40);
  for (int number = 20; number < 25; ++number) pace_.Forget(OwnerNumber(number));
  clock_.AdvanceMs(60'001);
  EXPECT_THAT(Admitted(35, 40), IsEmpty()) << "those before it may ask still";
  EXPECT_THAT(Admitted(30, 35), ElementsAre(30, 31, 32, 33, 34));
  clock_.AdvanceMs(60'001);
  EXPECT_THAT(pace_.Waiting(), ElementsAre(Pair("configuration", 5))) << "25 to 29 have lost their places";
  EXPECT_EQ(Admitted(35, 40).size(), 5U);
}

TEST_F(PaceTest, ACauseThatIsOverBeginsAnew) {
  EXPECT_EQ(Admitted(0, 20).size(), 20U);
  clock_.AdvanceMs(60'000);
  EXPECT_EQ(Admitted(0, 20).size(), 20U);
  pace_.Clear();
  EXPECT_EQ(Admitted(20, 50).size(), 20U);
}

TEST_F(PaceTest, AShareThatGrowsIsThatOfNow) {
  owners_ = 0;
  EXPECT_EQ(Admitted(0, 100).size(), 10U);
  owners_ = 1000;
  EXPECT_EQ(Admitted(10, 100).size(), 90U);
}

// In a random order of calls, no minute admits too many owners, and all are admitted in the end.
TEST(PacePropertyTest, NoMinuteHasMoreThanItMay) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto below = [&](int64_t n) { return std::uniform_int_distribution<int64_t>(0, n - 1)(random); };
    const PaceLimits limits = {.at_once = static_cast<size_t>(1 + below(8)),
                               .percent = static_cast<size_t>(below(40)),
                               .per_minute = static_cast<size_t>(1 + below(8))};
    const int count = static_cast<int>(20 + below(60));
    base::FakeClock clock;
    Pace pace(limits, clock);
    std::map<int, int64_t> due;
    for (int number = 0; number < count; ++number) due[number] = clock.NowNs() + below(30'000) * 1'000'000;
    std::vector<int64_t> admitted;
    const int64_t begun = clock.NowNs();
    int64_t first = 0;
    while (!due.empty() && clock.NowNs() < begun + int64_t{200} * 60'000'000'000) {
      clock.AdvanceMs(1 + below(2'000));
      for (auto it = due.begin(); it != due.end();) {
        // Sometimes an owner asks too early, because something else has changed.
        if (it->second > clock.NowNs() && below(50) != 0) {
          ++it;
          continue;
        }
        if (first == 0) first = clock.NowNs();
        const auto answer = pace.Ask({.cause = "c", .owner = OwnerNumber(it->first), .wanted = "a"}, count);
        if (answer.is_admitted) admitted.push_back(clock.NowNs());
        it->second = clock.NowNs() + std::chrono::nanoseconds(answer.wait).count();
        it = answer.is_admitted ? due.erase(it) : std::next(it);
      }
    }
    EXPECT_THAT(due, IsEmpty());
    constexpr int64_t kMinuteNs = 60'000'000'000;
    for (size_t i = 0; i < admitted.size(); ++i) {
      const auto within = static_cast<size_t>(std::count_if(admitted.begin(), admitted.end(), [&](int64_t at) {
        return at >= admitted[i] && at < admitted[i] + kMinuteNs;
      }));
      // A new cause of the same name may have begun meanwhile if the old one was over.
      EXPECT_LE(within, std::max(FirstMinute(limits, count), limits.per_minute));
    }
    if (limits.per_minute < FirstMinute(limits, count) && admitted.size() > FirstMinute(limits, count)) {
      const auto early = static_cast<size_t>(
          std::count_if(admitted.begin(), admitted.end(), [&](int64_t at) { return at < first + 2 * kMinuteNs; }));
      EXPECT_LE(early, FirstMinute(limits, count) + 2 * limits.per_minute);
    }
  }
}

}  // namespace
}  // namespace inferd::cluster
