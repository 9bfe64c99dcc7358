#include "scheduling/inline_gate.h"

#include <gtest/gtest.h>

namespace inferd::scheduling {
namespace {

constexpr int64_t kLimitNs = 100'000;

void Measure(InlineGate& gate, int runs, int64_t service_ns, size_t bytes = 64) {
  for (int i = 0; i < runs; ++i) gate.Record(service_ns, bytes, false);
}

TEST(InlineGateTest, OpensAfterEnoughFastRuns) {
  InlineGate gate(kLimitNs);
  Measure(gate, InlineGate::kSamplesMin - 1, 3'000);
  EXPECT_FALSE(gate.Allows(64));
  Measure(gate, 1, 3'000);
  EXPECT_TRUE(gate.Allows(64));
}

TEST(InlineGateTest, ASlowModelNeverGetsIn) {
  InlineGate gate(kLimitNs);
  Measure(gate, 10'000, kLimitNs);
  EXPECT_FALSE(gate.Allows(64));
}

TEST(InlineGateTest, ASlowInlineRunMakesItWatchAndTheNextClosesItForAWhile) {
  InlineGate gate(kLimitNs);
  Measure(gate, InlineGate::kSamplesMin, 3'000);
  EXPECT_FALSE(gate.watching());
  gate.Record(kLimitNs, 64, true);
  EXPECT_TRUE(gate.watching());
  EXPECT_TRUE(gate.Allows(64));
  gate.Record(kLimitNs, 64, true);
  EXPECT_FALSE(gate.Allows(64));
  Measure(gate, InlineGate::kSamplesMin - 1, 3'000);
  EXPECT_FALSE(gate.Allows(64));
  Measure(gate, 1, 3'000);
  EXPECT_TRUE(gate.Allows(64));
}

TEST(InlineGateTest, WatchesUntilItWasQuietForLong) {
  InlineGate gate(kLimitNs);
  Measure(gate, InlineGate::kSamplesMin, 3'000);
  gate.Record(kLimitNs, 64, true);
  for (int i = 1; i < InlineGate::kQuietRuns; ++i) gate.Record(3'000, 64, true);
  EXPECT_TRUE(gate.watching());
  gate.Record(3'000, 64, true);
  EXPECT_FALSE(gate.watching());
  EXPECT_TRUE(gate.Allows(64));
}

TEST(InlineGateTest, ThePauseDoublesUntilItWasQuietForLong) {
  InlineGate gate(kLimitNs);
  Measure(gate, InlineGate::kSamplesMin, 3'000);
  gate.Record(kLimitNs, 64, true);
  const auto pause = [&gate] {
    gate.Record(kLimitNs * 50, 64, true);
    int runs = 0;
    for (; !gate.Allows(64); ++runs) gate.Record(3'000, 64, false);
    return runs;
  };
  EXPECT_EQ(pause(), InlineGate::kSamplesMin);
  EXPECT_EQ(pause(), InlineGate::kSamplesMin * 2);
  for (int i = 0; i < 20; ++i) pause();
  EXPECT_EQ(pause(), InlineGate::kPauseMax);
  for (int i = 0; i < InlineGate::kQuietRuns; ++i) gate.Record(3'000, 64, true);
  EXPECT_EQ(pause(), 0) << "it only watches";
  EXPECT_EQ(pause(), InlineGate::kSamplesMin);
}

TEST(InlineGateTest, ALargerRequestThanAnyMeasuredRunsElsewhere) {
  InlineGate gate(kLimitNs);
  Measure(gate, InlineGate::kSamplesMin, 3'000, 64);
  EXPECT_FALSE(gate.Allows(65));
  gate.Record(kLimitNs * 2, 4096, false);
  EXPECT_FALSE(gate.Allows(4096)) << "it was slow";
  gate.Record(5'000, 4096, false);
  EXPECT_TRUE(gate.Allows(4096));
}

TEST(InlineGateTest, SlowRunsOffTheLoopDoNotCount) {
  InlineGate gate(kLimitNs);
  for (int i = 0; i < 1000; ++i) gate.Record(i % 2 == 0 ? 3'000 : kLimitNs * 3, 64, false);
  EXPECT_FALSE(gate.Allows(64)) << "half of the runs are slow: the mean says so";
}

TEST(InlineGateTest, ZeroMeansNever) {
  InlineGate gate(0);
  Measure(gate, 10'000, 0);
  EXPECT_FALSE(gate.Allows(0));
}

TEST(InlineGateTest, TheConfigurationMayDecide) {
  EXPECT_TRUE(InlineGate(kLimitNs, config::InlineExecution::kAlways).Allows(1 << 20));
  InlineGate never(kLimitNs, config::InlineExecution::kNever);
  Measure(never, InlineGate::kSamplesMin, 3'000);
  EXPECT_FALSE(never.Allows(64));
}

TEST(InlineGateTest, AModelThatGetsSlowerIsLockedOut) {
  InlineGate gate(kLimitNs);
  Measure(gate, InlineGate::kSamplesMin, 3'000);
  Measure(gate, 100, kLimitNs * 3);
  EXPECT_FALSE(gate.Allows(64));
}

}  // namespace
}  // namespace inferd::scheduling
