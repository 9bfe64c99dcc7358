#include "serving/scheduling/held_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <optional>
#include <thread>

#include "base/turn.h"
#include "serving/scheduling/policy/inline_gate.h"
#include "tests/support/scheduling_fixture.h"

namespace inferd::scheduling {
namespace {

using inferd::support::FakeEngine;

TEST(HeldThreadsTest, SaysSoAfterASecondAndAgainWheneverItTookTwiceAsLong) {
  EXPECT_EQ(HeldThreads::NextNs(0), HeldThreads::kHeldNs);
  EXPECT_EQ(HeldThreads::NextNs(3 * HeldThreads::kHeldNs), 6 * HeldThreads::kHeldNs);
}

// Two models that run on this thread, as on a connections' thread. The test sets what happens during an execution of
// the first.
class HeldThreadsSchedulingTest : public ::testing::Test {
 protected:
  HeldThreadsSchedulingTest() {
    config_.inline_execution = config::InlineExecution::kAlways;
    first_ = fixture_.MakeModel(First(), config_);
    second_ = fixture_.MakeModel({}, config_);
  }
  FakeEngine::Script First() {
    FakeEngine::Script script;
    script.on_execute = [this](core::Execution& execution) {
      if (during_) during_();
      if (gives_up_ && execution.IsCancelled(0)) return GiveUp(execution);
      FakeEngine::Identity(execution);
    };
    return script;
  }
  // Makes the first model again, and runs it until it counts as quick.
  void MeasureFirst() {
    config_.inline_execution = config::InlineExecution::kAuto;
    first_ = fixture_.MakeModel(First(), config_, {.inline_service_ns_max = kLimitNs});
    for (int i = 0; !first_->scheduler().Report().inline_open; ++i) {
      ASSERT_LE(i, InlineGate::kSamplesMin);
      RunFirst(nullptr);
      fixture_.AwaitIdle(*first_);
    }
  }
  void RunFirst(std::function<void()> during) {
    during_ = std::move(during);
    EXPECT_TRUE(fixture_.Send(fixture_.Request(first_, nullptr)).get().status.ok());
  }
  // Acts as an engine that was told that nobody waits.
  void GiveUp(core::Execution& execution) {
    ++given_up_;
    execution.RespondAll({base::Cancelled("given up")});
    execution.Finish();
  }
  void RunSecond() { EXPECT_TRUE(fixture_.Send(fixture_.Request(second_, nullptr)).get().status.ok()); }
  // Advances the clock, and runs the deadline watch.
  void Pass(int64_t ns) {
    clock_.AdvanceNs(ns);
    fixture_.deadlines().RunDue();
  }

  static constexpr int64_t kLimitNs = 100'000;

  base::FakeClock clock_;
  SchedulingFixture fixture_{clock_};
  config::ModelConfig config_;
  std::function<void()> during_;
  bool gives_up_ = false;
  std::atomic<int> given_up_{0};
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

TEST_F(HeldThreadsSchedulingTest, WhatHoldsAThreadGoesOnOnItsInstancesAndStaysThere) {
  gives_up_ = true;
  const auto here = std::this_thread::get_id();
  std::atomic<int> elsewhere{0};
  const auto holds = [&] {
    if (std::this_thread::get_id() == here) {
      Pass(HeldThreads::kHeldNs);
    } else {
      ++elsewhere;
    }
  };
  RunFirst(holds);
  EXPECT_EQ(given_up_, 1);
  EXPECT_EQ(elsewhere, 1) << "answered by the second run";
  EXPECT_EQ(first_->statistics().inline_executions(), 1u);
  fixture_.AwaitIdle(*first_);
  RunFirst(holds);
  EXPECT_EQ(elsewhere, 2);
  EXPECT_EQ(first_->statistics().inline_executions(), 1u) << "though it says ALWAYS";
  EXPECT_FALSE(fixture_.held_threads().any());
  RunSecond();
  EXPECT_EQ(second_->statistics().inline_executions(), 1u);
}

// The execution is evicted once, long before it counts as held. It then runs again on its instance's thread.
TEST_F(HeldThreadsSchedulingTest, WhatIsSlowerThanItWasMeasuredGoesOnOnItsInstancesThread) {
  MeasureFirst();
  gives_up_ = true;
  const auto here = std::this_thread::get_id();
  std::atomic<int> begun_here{0};
  std::atomic<int> elsewhere{0};
  RunFirst([&] {
    Pass(InlineGate::kOutlier * kLimitNs);
    ++(std::this_thread::get_id() == here ? begun_here : elsewhere);
  });
  EXPECT_EQ(begun_here, 1);
  EXPECT_EQ(given_up_, 1);
  EXPECT_EQ(elsewhere, 1);
  EXPECT_EQ(first_->statistics().inline_executions(), 1u);
  EXPECT_FALSE(fixture_.held_threads().any());
  fixture_.AwaitIdle(*first_);
  RunFirst(nullptr);
  EXPECT_EQ(first_->statistics().inline_executions(), 2u) << "it may have been the machine";
}

TEST_F(HeldThreadsSchedulingTest, WhatIsALittleSlowerStays) {
  MeasureFirst();
  gives_up_ = true;
  RunFirst([&] { Pass(InlineGate::kOutlier * kLimitNs - 1); });
  EXPECT_EQ(given_up_, 0);
  EXPECT_EQ(first_->statistics().inline_executions(), 1u);
}

// The thread is free as soon as the rest runs elsewhere, however long that takes.
TEST_F(HeldThreadsSchedulingTest, WhatIsHandedOverHoldsTheThreadNoLonger) {
  Gate gate;
  bool cancelled = false;
  FakeEngine::Script script;
  script.takes_long = [this](core::Execution&) {
    Pass(HeldThreads::kHeldNs);
    return true;
  };
  script.on_execute = [&](core::Execution& execution) {
    gate.Enter();
    cancelled = execution.IsCancelled(0);
    FakeEngine::Identity(execution);
  };
  first_ = fixture_.MakeModel(std::move(script), config_);
  auto answer = fixture_.Send(fixture_.Request(first_, nullptr));
  gate.AwaitEntered(1);
  EXPECT_FALSE(fixture_.held_threads().any());
  RunSecond();
  EXPECT_EQ(second_->statistics().inline_executions(), 1u);
  gate.Open();
  EXPECT_TRUE(answer.get().status.ok());
  EXPECT_FALSE(cancelled);
}

TEST_F(HeldThreadsSchedulingTest, AnEvictedRequestThatNobodyWaitsForIsNotRunAgain) {
  gives_up_ = true;
  auto queued = fixture_.Request(first_, nullptr);
  queued.request->cancel = std::make_shared<core::CancelFlag>();
  during_ = [this, cancel = queued.request->cancel] {
    Pass(HeldThreads::kHeldNs);
    cancel->Cancel();
  };
  EXPECT_EQ(fixture_.Send(std::move(queued)).get().status.code(), base::StatusCode::kCancelled);
  EXPECT_EQ(given_up_, 1);
}

TEST_F(HeldThreadsSchedulingTest, AThreadThatExecutesNothingHandsOver) {
  base::Turn turn("health", false);
  const base::Turn::Scope here(turn);
  RunSecond();
  EXPECT_EQ(second_->statistics().inline_executions(), 0u);
}

TEST_F(HeldThreadsSchedulingTest, ModelsAndThreadsAreNamed) {
  base::Turn turn("loop-7");
  const base::Turn::Scope here(turn);
  RunFirst([this] { EXPECT_EQ(fixture_.held_threads().Holders(), "model 'm' version 1 on loop-7"); });
  EXPECT_EQ(fixture_.held_threads().Holders(), "");
}

TEST_F(HeldThreadsSchedulingTest, TheReportAndAMetricSayForHowLong) {
  RunFirst([this] {
    Pass(5 * HeldThreads::kHeldNs);
    EXPECT_EQ(first_->scheduler().Report().inline_held_ns, 5 * HeldThreads::kHeldNs);
  });
  EXPECT_EQ(first_->scheduler().Report().inline_held_ns, 0);
}

// The test's thread takes over the turn of a thread that an execution holds.
class MovedExecutionTest : public HeldThreadsSchedulingTest, public base::Turn::Watch {
 protected:
  ~MovedExecutionTest() override {
    if (loop_.joinable()) loop_.join();
  }
  void WatchLent() override {}

  // Starts a thread whose turn runs the first model, which does not end before gate_ opens. The turn continues here.
  void HoldFirst() {
    during_ = [this] { gate_.Enter(); };
    std::promise<base::Turn::Scope*> scope;
    loop_ = std::thread([this, &scope] {
      base::Turn::Scope here(turn_);
      scope.set_value(&here);
      answer_ = fixture_.Send(fixture_.Request(first_, nullptr));
      EXPECT_TRUE(turn_.has_step()) << "nothing of the connection is on the stack";
      EXPECT_FALSE(turn_.RunStep()) << "it has lost its turn";
      EXPECT_EQ(base::Turn::Current(), nullptr);
    });
    gate_.AwaitEntered(1);
    base::Turn::Scope& held = *scope.get_future().get();
    EXPECT_FALSE(held.Take(clock_.NowNs()));
    clock_.AdvanceNs(kMoveNs);
    ASSERT_TRUE(held.Take(clock_.NowNs()));
    here_.emplace(turn_);
    held.Move();
  }
  void Release() {
    gate_.Open();
    loop_.join();
    EXPECT_TRUE(answer_.get().status.ok());
    fixture_.AwaitIdle(*first_);
    during_ = nullptr;
  }
  // Runs the second model on this thread, which has the turn now.
  void RunSecondHere() {
    auto answer = fixture_.Send(fixture_.Request(second_, nullptr));
    EXPECT_TRUE(turn_.RunStep());
    EXPECT_TRUE(answer.get().status.ok());
    fixture_.AwaitIdle(*second_);
  }
  int64_t moved() const { return first_->scheduler().Report().moved_executions; }

  static constexpr int64_t kMoveNs = 20'000'000;

  Gate gate_;
  base::Turn turn_{"loop", true, nullptr, nullptr, this};
  std::thread loop_;
  std::future<core::InferResponse> answer_;
  std::optional<base::Turn::Scope> here_;
};

TEST_F(MovedExecutionTest, LeavesItsConnectionsToAnotherThreadLongBeforeItCountsAsHeld) {
  MeasureFirst();
  HoldFirst();
  EXPECT_EQ(moved(), 1);
  EXPECT_EQ(fixture_.held_threads().Holders(), "model 'm' version 1 on a former thread of loop");
  RunSecondHere();
  EXPECT_EQ(second_->statistics().inline_executions(), 1u) << "other models run on connections' threads meanwhile";
  Release();
  EXPECT_EQ(moved(), 0);
  EXPECT_TRUE(first_->scheduler().Report().inline_open) << "it may have been the machine";
}

TEST_F(MovedExecutionTest, ThatDoesNotEndKeepsItsModelOffConnectionsThreadsForGood) {
  MeasureFirst();
  HoldFirst();
  Pass(HeldThreads::kHeldNs);
  EXPECT_FALSE(fixture_.held_threads().any());
  EXPECT_GE(first_->scheduler().Report().inline_held_ns, HeldThreads::kHeldNs);
  RunSecondHere();
  EXPECT_EQ(second_->statistics().inline_executions(), 1u);
  Release();
  EXPECT_FALSE(first_->scheduler().Report().inline_open);
  EXPECT_FALSE(fixture_.held_threads().any());
}

TEST_F(MovedExecutionTest, IsTheOnlyOneOfItsModelHowManyInstancesItHas) {
  config_.inline_execution = config::InlineExecution::kAuto;
  first_ = fixture_.MakeModel(First(), config_, {.inline_service_ns_max = kLimitNs}, 2);
  for (int i = 0; !first_->scheduler().Report().inline_open; ++i) {
    ASSERT_LE(i, InlineGate::kSamplesMin);
    RunFirst(nullptr);
    fixture_.AwaitIdle(*first_);
  }
  HoldFirst();
  const uint64_t before = first_->statistics().inline_executions();
  auto answer = fixture_.Send(fixture_.Request(first_, nullptr));
  EXPECT_FALSE(turn_.has_step());
  gate_.AwaitEntered(2);
  EXPECT_EQ(first_->statistics().inline_executions(), before);
  Release();
  EXPECT_TRUE(answer.get().status.ok());
}

// A moved execution need not be given up, as it blocks no connection.
TEST_F(MovedExecutionTest, IsNotToldToStop) {
  MeasureFirst();
  gives_up_ = true;
  HoldFirst();
  Pass(HeldThreads::kHeldNs);
  Release();
  EXPECT_EQ(given_up_, 0);
}

TEST_F(MovedExecutionTest, WhatFollowsItRunsOnItsInstancesThread) {
  MeasureFirst();
  HoldFirst();
  auto next = fixture_.Send(fixture_.Request(first_, nullptr));
  EXPECT_EQ(first_->statistics().pending(), 1);
  const uint64_t before = first_->statistics().inline_executions();
  Release();
  EXPECT_TRUE(next.get().status.ok());
  EXPECT_EQ(first_->statistics().inline_executions(), before);
}

}  // namespace
}  // namespace inferd::scheduling
