#include "serving/repository/tree/settle_tracker.h"

#include <gtest/gtest.h>

namespace inferd::repository {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

storage::TreeStat Tree(uint64_t size, int64_t ctime_ns = 1) {
  return {{{.path = "model.onnx", .is_folder = false, .size = size, .inode = 1, .ctime_ns = ctime_ns}}};
}

TEST(SettleTrackerTest, TwoEqualLooksFarEnoughApart) {
  SettleTracker tracker(kSecond);
  EXPECT_FALSE(tracker.Observe("m", Tree(1), 0));
  EXPECT_FALSE(tracker.Observe("m", Tree(1), kSecond - 1));
  EXPECT_TRUE(tracker.Observe("m", Tree(1), kSecond));
}

TEST(SettleTrackerTest, EveryChangeStartsAgain) {
  SettleTracker tracker(kSecond);
  EXPECT_FALSE(tracker.Observe("m", Tree(1), 0));
  EXPECT_FALSE(tracker.Observe("m", Tree(2), kSecond));
  EXPECT_FALSE(tracker.Observe("m", Tree(2, 2), 2 * kSecond)) << "the same size, written again";
  EXPECT_FALSE(tracker.Observe("m", Tree(2), 3 * kSecond)) << "back, but not for long";
  EXPECT_TRUE(tracker.Observe("m", Tree(2), 4 * kSecond));
}

TEST(SettleTrackerTest, AbsenceSettlesToo) {
  SettleTracker tracker(kSecond);
  tracker.Accept("m", Tree(1), 0);
  EXPECT_TRUE(tracker.Observe("m", Tree(1), 0));
  EXPECT_FALSE(tracker.Observe("m", {}, kSecond));
  EXPECT_TRUE(tracker.Observe("m", {}, 2 * kSecond));
}

TEST(SettleTrackerTest, EveryChangeHasANumber) {
  SettleTracker tracker(kSecond);
  EXPECT_EQ(tracker.LastChange("m"), 0u);
  tracker.Observe("m", Tree(1), 0);
  const uint64_t first = tracker.LastChange("m");
  tracker.Observe("n", Tree(1), 0);
  tracker.Observe("m", Tree(1), 0);
  EXPECT_EQ(tracker.LastChange("m"), first);
  EXPECT_TRUE(tracker.IsSame("m", Tree(1)));
  EXPECT_FALSE(tracker.IsSame("m", Tree(2)));
  tracker.Observe("m", Tree(2), 0);
  const uint64_t second = tracker.LastChange("m");
  EXPECT_NE(second, first);
  tracker.Accept("m", Tree(2), 0);
  EXPECT_NE(tracker.LastChange("m"), second);
}

TEST(SettleTrackerTest, KeysAreApart) {
  SettleTracker tracker(kSecond);
  EXPECT_FALSE(tracker.Observe("m", Tree(1), 0));
  EXPECT_FALSE(tracker.Observe("n", Tree(1), kSecond));
  EXPECT_TRUE(tracker.Observe("m", Tree(1), kSecond));
}

}  // namespace
}  // namespace inferd::repository
