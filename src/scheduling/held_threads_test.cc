#include "scheduling/held_threads.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/scheduling_fixture.h"

namespace inferd::scheduling {
namespace {

using inferd::testing::FakeEngine;

TEST(HeldThreadsTest, SaysSoAfterASecondAndAgainWheneverItTookTwiceAsLong) {
  EXPECT_EQ(HeldThreads::NextNs(0), HeldThreads::kHeldNs);
  EXPECT_EQ(HeldThreads::NextNs(3 * HeldThreads::kHeldNs), 6 * HeldThreads::kHeldNs);
}

// Two models that run on this thread, in the place of a connections' own; what happens during an execution of the first
// is up to the test.
class HeldThreadsSchedulingTest : public ::testing::Test {
 protected:
  HeldThreadsSchedulingTest() {
    config_.inline_execution = config::InlineExecution::kAlways;
    first_ = fixture_.MakeModel({.on_load = {},
                                 .on_execute =
                                     [this](core::Execution& execution) {
                                       if (during_) during_();
                                       FakeEngine::Identity(execution);
                                     }},
                                config_);
    second_ = fixture_.MakeModel({}, config_);
  }
  void RunFirst(std::function<void()> during) {
    during_ = std::move(during);
    EXPECT_TRUE(fixture_.Send(fixture_.Request(first_, nullptr)).get().status.ok());
  }
  void RunSecond() { EXPECT_TRUE(fixture_.Send(fixture_.Request(second_, nullptr)).get().status.ok()); }
  // Time passes, and who is to look at what it has brought does.
  void Pass(int64_t ns) {
    clock_.AdvanceNs(ns);
    fixture_.deadlines().RunDue();
  }

  base::FakeClock clock_;
  SchedulingFixture fixture_{clock_};
  config::ModelConfig config_;
  std::function<void()> during_;
  std::shared_ptr<const core::ModelVersion> first_;
  std::shared_ptr<const core::ModelVersion> second_;
};

TEST_F(HeldThreadsSchedulingTest, WhileAThreadIsHeldNoOtherIsRisked) {
  RunFirst([this] {
    Pass(HeldThreads::kHeldNs - 1);
    EXPECT_FALSE(fixture_.held_threads().any());
    Pass(1);
    EXPECT_TRUE(fixture_.held_threads().any());
    RunSecond();
    EXPECT_EQ(second_->statistics().inline_executions(), 0u) << "its instance's own thread ran it";
  });
  EXPECT_FALSE(fixture_.held_threads().any());
  fixture_.AwaitIdle(*second_);
  RunSecond();
  EXPECT_EQ(second_->statistics().inline_executions(), 1u);
}

TEST_F(HeldThreadsSchedulingTest, EachExecutionCountsFromItsOwnBeginning) {
  for (int i = 0; i < 3; ++i) {
    RunFirst([this] {
      Pass(HeldThreads::kHeldNs - 1);
      EXPECT_FALSE(fixture_.held_threads().any());
    });
  }
  EXPECT_EQ(first_->statistics().inline_executions(), 3u);
}

TEST_F(HeldThreadsSchedulingTest, TheReportAndAMetricSayForHowLong) {
  RunFirst([this] {
    Pass(5 * HeldThreads::kHeldNs);
    EXPECT_EQ(first_->scheduler().Report().inline_held_ns, 5 * HeldThreads::kHeldNs);
  });
  EXPECT_EQ(first_->scheduler().Report().inline_held_ns, 0);
}

}  // namespace
}  // namespace inferd::scheduling
