#include "serving/scheduling/policy/wait_trial.h"

#include <gtest/gtest.h>

namespace inferd::scheduling {
namespace wait_trial_test {

using State = WaitTrial::State;

constexpr int64_t kMs = 1'000'000;

// Records rows at this pace for `ms`, in steps like the tuner's, or until the state changes.
void Come(WaitTrial& trial, double rows_per_ms, int64_t ms, bool waited) {
  const State before = trial.state();
  for (int64_t at = 0; at < ms && trial.state() == before; at += 5) {
    trial.Record(static_cast<int64_t>(rows_per_ms * 5), 5 * kMs, waited);
  }
}

TEST(WaitTrialTest, LooksFirstWhatComesWithoutWaiting) {
  WaitTrial trial;
  EXPECT_FALSE(trial.allows_waiting());
  Come(trial, 100, 245, false);
  EXPECT_FALSE(trial.allows_waiting()) << "rows enough, and too short a time";
  Come(trial, 100, 5, false);
  EXPECT_EQ(trial.state(), State::kTrying);
  EXPECT_TRUE(trial.allows_waiting());
}

TEST(WaitTrialTest, FewRowsTakeLonger) {
  WaitTrial trial;
  Come(trial, 0.2, 2'555, false);
  EXPECT_EQ(trial.state(), State::kWatching);
  Come(trial, 0.2, 5, false);
  EXPECT_EQ(trial.state(), State::kTrying);
}

TEST(WaitTrialTest, WhoSendsAsManyMayGoOnWaiting) {
  WaitTrial trial;
  Come(trial, 10, 250, false);
  Come(trial, 10, 250, true);
  EXPECT_EQ(trial.state(), State::kSettled);
  Come(trial, 10, 7'995, true);
  EXPECT_EQ(trial.state(), State::kSettled);
  Come(trial, 10, 5, true);
  EXPECT_EQ(trial.state(), State::kWatching) << "once more: clients may be others by now";
}

TEST(WaitTrialTest, WhoSendsFewerIsNotMadeToWait) {
  WaitTrial trial;
  Come(trial, 10, 250, false);
  Come(trial, 9, 250, true);
  EXPECT_EQ(trial.state(), State::kBarred);
  EXPECT_FALSE(trial.allows_waiting());
  Come(trial, 10, 1'000, false);
  EXPECT_EQ(trial.state(), State::kTrying);
  Come(trial, 9, 250, true);
  Come(trial, 10, 1'995, false);
  EXPECT_EQ(trial.state(), State::kBarred) << "twice as long";
  Come(trial, 10, 5, false);
  EXPECT_EQ(trial.state(), State::kTrying);
  Come(trial, 10, 250, true);
  EXPECT_EQ(trial.state(), State::kSettled);
}

TEST(WaitTrialTest, ItIsHeldAgainstWhatCameLast) {
  WaitTrial trial;
  Come(trial, 100, 250, false);
  Come(trial, 10, 5'000, false);
  Come(trial, 10, 250, true);
  EXPECT_EQ(trial.state(), State::kSettled);
}

TEST(WaitTrialTest, SilenceSaysNothing) {
  WaitTrial trial;
  Come(trial, 10, 250, false);
  trial.Record(1, 3'600'000 * kMs, false);
  Come(trial, 9, 250, true);
  EXPECT_EQ(trial.state(), State::kBarred);
}

}  // namespace wait_trial_test
}  // namespace inferd::scheduling
