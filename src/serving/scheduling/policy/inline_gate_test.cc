#include "serving/scheduling/policy/inline_gate.h"

#include <gtest/gtest.h>

namespace inferd::scheduling {
namespace {

constexpr int64_t kLimitNs = 100'000;

void Measure(InlineGate& gate, int runs, int64_t service_ns, size_t bytes = 64) {
  for (int i = 0; i < runs; ++i) gate.Record(1, service_ns, bytes, false);
}

TEST(InlineGateTest, OpensAfterEnoughFastRuns) {
  InlineGate gate(kLimitNs);
  Measure(gate, InlineGate::kSamplesMin - 1, 3'000);
  EXPECT_FALSE(gate.Allows(1, 64));
  Measure(gate, 1, 3'000);
  EXPECT_TRUE(gate.Allows(1, 64));
}

TEST(InlineGateTest, WhatIsOnlyBegunGetsInUnmeasuredUpToASize) {
  InlineGate gate(kLimitNs);
  EXPECT_FALSE(gate.Allows(1, 64));
  EXPECT_TRUE(gate.AllowsBeginning(64));
  EXPECT_TRUE(gate.AllowsBeginning(80'000));
  EXPECT_FALSE(gate.AllowsBeginning(1 << 20));
  gate.Ban();
  EXPECT_FALSE(gate.AllowsBeginning(64));
  EXPECT_FALSE(InlineGate(kLimitNs, config::InlineExecution::kNever).AllowsBeginning(64));
}

TEST(InlineGateTest, ASlowModelNeverGetsIn) {
  InlineGate gate(kLimitNs);
  Measure(gate, 10'000, kLimitNs);
  EXPECT_FALSE(gate.Allows(1, 64));
}

TEST(InlineGateTest, ASlowInlineRunMakesItWatchAndTheNextClosesItForAWhile) {
  InlineGate gate(kLimitNs);
  Measure(gate, InlineGate::kSamplesMin, 3'000);
  EXPECT_FALSE(gate.watching(1));
  gate.Record(1, 2 * kLimitNs, 64, true);
  EXPECT_TRUE(gate.watching(1));
  EXPECT_TRUE(gate.Allows(1, 64));
  gate.Record(1, 2 * kLimitNs, 64, true);
  EXPECT_FALSE(gate.Allows(1, 64));
  Measure(gate, InlineGate::kSamplesMin - 1, 3'000);
  EXPECT_FALSE(gate.Allows(1, 64));
  Measure(gate, 1, 3'000);
  EXPECT_TRUE(gate.Allows(1, 64));
}

TEST(InlineGateTest, WatchesUntilItWasQuietForLong) {
  InlineGate gate(kLimitNs);
  Measure(gate, InlineGate::kSamplesMin, 3'000);
  gate.Record(1, kLimitNs, 64, true);
  for (int i = 1; i < InlineGate::kQuietRuns; ++i) gate.Record(1, 3'000, 64, true);
  EXPECT_TRUE(gate.watching(1));
  gate.Record(1, 3'000, 64, true);
  EXPECT_FALSE(gate.watching(1));
  EXPECT_TRUE(gate.Allows(1, 64));
}

// Simulates runs of which one in `fast_runs` + 1 takes that long, by its own use. Returns how many of 100 were let in.
int RunsLetIn(InlineGate& gate, int fast_runs, int64_t slow_ns) {
  int let_in = 0;
  for (int i = 0; i < 100 * (fast_runs + 1); ++i) {
    const bool slow = i % (fast_runs + 1) == fast_runs;
    const bool inline_run = gate.Allows(1, 64);
    if (slow && inline_run) ++let_in;
    gate.Record(1, slow ? slow_ns : 3'000, 64, inline_run);
  }
  return let_in;
}

TEST(InlineGateTest, FastRunsPayForSlowOnes) {
  InlineGate gate(kLimitNs);
  Measure(gate, InlineGate::kSamplesMin, 3'000);
  EXPECT_EQ(RunsLetIn(gate, 8, kLimitNs * 5 / 4), 100) << "for as long as a quarter of the limit";
  EXPECT_EQ(RunsLetIn(gate, InlineGate::kFastPerSlow, 2 * kLimitNs), 100);
  EXPECT_EQ(RunsLetIn(gate, 9 * InlineGate::kFastPerSlow, 10 * kLimitNs), 100);
}

TEST(InlineGateTest, RunsThatAreSlowTooOftenOrTooLongAreNotPaidFor) {
  InlineGate often(kLimitNs);
  Measure(often, InlineGate::kSamplesMin, 3'000);
  EXPECT_LT(RunsLetIn(often, InlineGate::kFastPerSlow / 2, 2 * kLimitNs), 20);
  InlineGate for_long(kLimitNs);
  Measure(for_long, InlineGate::kSamplesMin, 3'000);
  EXPECT_LT(RunsLetIn(for_long, 1000, 100 * kLimitNs), 20);
}

TEST(InlineGateTest, ThePauseDoublesUntilItWasQuietForLong) {
  InlineGate gate(kLimitNs);
  Measure(gate, InlineGate::kSamplesMin, 3'000);
  gate.Record(1, kLimitNs, 64, true);
  const auto pause = [&gate] {
    gate.Record(1, kLimitNs * 50, 64, true);
    int runs = 0;
    for (; !gate.Allows(1, 64); ++runs) gate.Record(1, 3'000, 64, false);
    return runs;
  };
  EXPECT_EQ(pause(), InlineGate::kSamplesMin);
  EXPECT_EQ(pause(), InlineGate::kSamplesMin * 2);
  for (int i = 0; i < 20; ++i) pause();
  EXPECT_EQ(pause(), InlineGate::kPauseMax);
  for (int i = 0; i < InlineGate::kQuietRuns; ++i) gate.Record(1, 3'000, 64, true);
  EXPECT_EQ(pause(), 0) << "it only watches";
  EXPECT_EQ(pause(), InlineGate::kSamplesMin);
}

TEST(InlineGateTest, ALargerRequestThanAnyMeasuredRunsElsewhere) {
  InlineGate gate(kLimitNs);
  Measure(gate, InlineGate::kSamplesMin, 3'000, 64);
  EXPECT_FALSE(gate.Allows(1, 65));
  gate.Record(1, kLimitNs * 2, 4096, false);
  EXPECT_FALSE(gate.Allows(1, 4096)) << "it was slow";
  gate.Record(1, 5'000, 4096, false);
  EXPECT_TRUE(gate.Allows(1, 4096));
}

TEST(InlineGateTest, SlowRunsOffTheLoopDoNotCount) {
  InlineGate gate(kLimitNs);
  for (int i = 0; i < 1000; ++i) gate.Record(1, i % 2 == 0 ? 3'000 : kLimitNs * 3, 64, false);
  EXPECT_FALSE(gate.Allows(1, 64)) << "half of the runs are slow: the mean says so";
}

TEST(InlineGateTest, ZeroMeansNever) {
  InlineGate gate(0);
  Measure(gate, 10'000, 0);
  EXPECT_FALSE(gate.Allows(1, 0));
}

TEST(InlineGateTest, TheConfigurationMayDecide) {
  EXPECT_TRUE(InlineGate(kLimitNs, config::InlineExecution::kAlways).Allows(1, 1 << 20));
  InlineGate never(kLimitNs, config::InlineExecution::kNever);
  Measure(never, InlineGate::kSamplesMin, 3'000);
  EXPECT_FALSE(never.Allows(1, 64));
}

TEST(InlineGateTest, AModelThatGetsSlowerIsLockedOut) {
  InlineGate gate(kLimitNs);
  Measure(gate, InlineGate::kSamplesMin, 3'000);
  Measure(gate, 100, kLimitNs * 3);
  EXPECT_FALSE(gate.Allows(1, 64));
}

TEST(InlineGateTest, LargerExecutionsAreTakenToCostTwiceWhatTheClassBelowDoes) {
  InlineGate gate(kLimitNs);
  EXPECT_EQ(gate.RowsToTake(40), 40) << "nothing may run there";
  Measure(gate, InlineGate::kSamplesMin, 10'000);
  EXPECT_TRUE(gate.Allows(2, 64));
  EXPECT_EQ(gate.RowsToTake(40), 2) << "nothing is known of two";
  gate.Record(2, 15'000, 64, true);
  gate.Record(4, 30'000, 64, true);
  gate.Record(8, 49'000, 64, true);
  EXPECT_EQ(gate.RowsToTake(40), 16);
  EXPECT_EQ(gate.RowsToTake(7), 7);
  gate.Record(16, 60'000, 64, true);
  EXPECT_EQ(gate.RowsToTake(40), 16);
  EXPECT_FALSE(gate.Allows(17, 64));
}

TEST(InlineGateTest, ClientsThatNeverSendTheSizesBetweenGetInToo) {
  InlineGate gate(kLimitNs);
  for (int i = 0; i < InlineGate::kSamplesMin; ++i) {
    EXPECT_FALSE(gate.Allows(3, 64)) << i;
    gate.Record(3, 20'000, 64, false);
  }
  EXPECT_TRUE(gate.Allows(3, 64));
  EXPECT_FALSE(gate.Allows(5, 64)) << "eight times what is known";
  gate.Record(3, 30'000, 64, true);
  EXPECT_TRUE(gate.Allows(5, 64));
  EXPECT_EQ(gate.RowsToTake(40), 8);
}

TEST(InlineGateTest, AClassThatIsClosedClosesWhatGoesByIt) {
  InlineGate gate(kLimitNs);
  Measure(gate, InlineGate::kSamplesMin, 3'000);
  EXPECT_TRUE(gate.Allows(4, 64));
  gate.Record(2, kLimitNs, 64, true);
  EXPECT_FALSE(gate.Allows(2, 64));
  EXPECT_FALSE(gate.Allows(4, 64));
}

TEST(InlineGateTest, AClassThatIsSlowIsClosedByItselfAndTriedAgain) {
  InlineGate gate(kLimitNs);
  Measure(gate, InlineGate::kSamplesMin, 10'000);
  gate.Record(2, kLimitNs, 64, true);
  EXPECT_FALSE(gate.Allows(2, 64));
  EXPECT_TRUE(gate.Allows(1, 64));
  EXPECT_EQ(gate.RowsToTake(2), 1);
  for (int i = 0; i < InlineGate::kSamplesMin; ++i) {
    EXPECT_FALSE(gate.Allows(2, 64)) << i;
    gate.Record(1, 10'000, 64, true);
  }
  EXPECT_TRUE(gate.Allows(2, 64));
}

TEST(InlineGateTest, ALargeExecutionMayBeOverTheLimitNowAndThen) {
  InlineGate gate(kLimitNs);
  Measure(gate, InlineGate::kSamplesMin, 10'000);
  for (int i = 0; i < 100; ++i) gate.Record(2, i % 8 == 7 ? 2 * kLimitNs : kLimitNs / 4, 64, true);
  EXPECT_TRUE(gate.Allows(2, 64));
  EXPECT_FALSE(gate.watching(2));
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(gate.Allows(2, 64));
    gate.Record(2, 100 * kLimitNs, 64, true);
    EXPECT_TRUE(gate.watching(2));
    EXPECT_FALSE(gate.watching(1));
    for (int run = 0; i == 0 && run < 32; ++run) gate.Record(2, kLimitNs / 4, 64, true);
  }
  EXPECT_FALSE(gate.Allows(2, 64));
}

TEST(InlineGateTest, LargeExecutionsElsewhereSayWhatARowTakesAtMost) {
  InlineGate gate(kLimitNs);
  for (int i = 0; i < 100; ++i) gate.Record(32, 2 * kLimitNs, 64, false);
  EXPECT_FALSE(gate.Allows(1, 64));
  for (int i = 0; i < InlineGate::kSamplesMin; ++i) gate.Record(8, kLimitNs / 2, 64, false);
  EXPECT_TRUE(gate.Allows(1, 64));
  for (int i = 0; i < 100; ++i) gate.Record(32, 2 * kLimitNs, 64, false);
  EXPECT_TRUE(gate.Allows(1, 64)) << "that many rows say nothing about one";
}

TEST(InlineGateTest, WhatTheLoopSpendsOnMovingARequestCountsForTheModel) {
  constexpr size_t kMegabyte = 1 << 20;
  InlineGate gate(kLimitNs);
  Measure(gate, InlineGate::kSamplesMin, 2 * kLimitNs, kMegabyte);
  EXPECT_TRUE(gate.Allows(1, kMegabyte));
  EXPECT_FALSE(gate.Allows(1, 2 * kMegabyte));
  gate.Record(1, 2 * kLimitNs, kMegabyte, true);
  EXPECT_FALSE(gate.watching(1));
  gate.Record(1, 8 * kLimitNs, kMegabyte, true);
  EXPECT_TRUE(gate.watching(1));
}

TEST(InlineGateTest, AModelThatUsedFarMoreThanItsLimitIsLetInNoMore) {
  for (const auto mode : {config::InlineExecution::kAuto, config::InlineExecution::kAlways}) {
    InlineGate gate(1000, mode);
    for (int i = 0; i < InlineGate::kSamplesMin; ++i) gate.Record(1, 100, 8, false);
    ASSERT_TRUE(gate.Allows(1, 8));
    gate.Record(1, InlineGate::kFarOver * 1000, 8, true);
    EXPECT_EQ(gate.watching(1), mode == config::InlineExecution::kAuto) << "the first may be the machine's fault";
    gate.Record(1, InlineGate::kFarOver * 1000, 8, true);
    for (int i = 0; i < 2 * InlineGate::kPauseMax; ++i) gate.Record(1, 100, 8, false);
    EXPECT_EQ(gate.Allows(1, 8), mode == config::InlineExecution::kAlways);
    gate.Ban();
    EXPECT_FALSE(gate.Allows(1, 8));
    EXPECT_EQ(gate.RowsToTake(7), 7);
  }
}

}  // namespace
}  // namespace inferd::scheduling
