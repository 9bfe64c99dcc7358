#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/system/cpu_cores.h"
#include "serving/scheduling/instance_scheduler.h"
#include "tests/support/scheduling_fixture.h"

namespace inferd::scheduling {
namespace {

using base::StatusCode;
using core::BatchReason;
using inferd::support::FakeEngine;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using Rows = std::vector<int64_t>;

// A version that batches up to 8 rows, and the executions that its engine got. They wait at the gate while it is
// closed.
class BatchingTest : public ::testing::Test {
 protected:
  BatchingTest() { config_.dynamic_batching.emplace(); }

  FakeEngine::Script Script() {
    FakeEngine::Script script;
    script.signature.max_batch_size = 8;
    script.signature.accepts_larger_requests = !splits_;
    script.signature.splits_larger_requests = splits_;
    script.on_execute = [this](core::Execution& execution) {
      if (holds_) gate_.Enter();
      for (const int64_t rows : execution.rows) clock_.AdvanceNs(rows * nanoseconds_per_row_);
      {
        base::MutexLock lock(mutex_);
        executions_.push_back(execution.rows);
      }
      if (fails_ && execution.request_count() > 1) {
        execution.RespondAll({base::Internal("cannot do several")});
        execution.Finish();
      } else {
        FakeEngine::Identity(execution);
      }
    };
    script.computes_elsewhere = computes_elsewhere_;
    return script;
  }
  void Make(int instances = 1, SchedulerOptions options = {}) {
    version_ = fixture_.MakeModel(Script(), config_, options, instances);
  }
  // Sends one more request, with rows full of `fill`.
  void Send(char fill, int64_t rows = 1, size_t columns = 2, uint64_t priority = 0) {
    core::QueuedRequest queued = fixture_.Request(version_, nullptr, columns, rows, fill);
    queued.request->priority = priority;
    answers_.push_back(fixture_.Send(std::move(queued)));
    expected_.push_back(std::string(static_cast<size_t>(rows) * columns * 4, fill));
  }
  // Sends requests of one row each, in one turn of this thread.
  void SendInOneTurn(int64_t requests) {
    base::Turn turn;
    const base::Turn::Scope here(turn);
    for (int64_t left = requests - 1; left >= 0; --left) {
      const base::Turn::More more(&turn, left > 0);
      Send('t');
    }
    turn.End();
  }
  // Checks that every request got its own response.
  void ExpectAnswers() {
    for (size_t i = 0; i < answers_.size(); ++i) {
      if (!answers_[i].valid()) continue;  // looked at before
      const core::InferResponse response = answers_[i].get();
      ASSERT_TRUE(response.status.ok()) << response.status.ToString();
      EXPECT_EQ(response.outputs[0].data.view(), expected_[i]) << i;
    }
  }
  // Holds the first request inside the engine, so that others must wait.
  void SendAndHold() {
    holds_ = true;
    Send('0');
    gate_.AwaitEntered(1);
  }
  // Returns the adaptive limit after as many requests as it admits at the start, with these numbers of rows and shapes.
  int64_t LimitAfterItWasReached(int64_t rows, int64_t shapes) {
    config_.concurrency = {.min = 1, .max = 100};
    Make();
    SendAndHold();
    for (int64_t i = 1; i < ConcurrencyLimit::kStart; ++i) Send('a', rows, static_cast<size_t>(1 + i % shapes));
    clock_.AdvanceMs(1);
    gate_.Open();
    ExpectAnswers();
    fixture_.AwaitIdle(*version_);
    return version_->scheduler().Report().concurrency.limit;
  }
  std::vector<Rows> Executions() {
    base::MutexLock lock(mutex_);
    return executions_;
  }
  std::vector<core::BatchRecord> Recent() {
    // An execution is recorded once its instance is free again.
    fixture_.AwaitIdle(*version_);
    return version_->scheduler().RecentExecutions();
  }

  base::FakeClock clock_;
  base::Mutex mutex_;
  std::vector<Rows> executions_ GUARDED_BY(mutex_);
  std::atomic<bool> holds_{false};
  std::atomic<bool> fails_{false};
  bool splits_ = false;
  bool computes_elsewhere_ = false;
  int64_t nanoseconds_per_row_ = 0;
  Gate gate_;
  config::ModelConfig config_;
  SchedulingFixture fixture_{clock_};
  std::shared_ptr<const core::ModelVersion> version_;
  std::vector<std::future<core::InferResponse>> answers_;
  std::vector<std::string> expected_;
};

TEST_F(BatchingTest, RequestsWithoutRowsAreAnsweredAndShareWithNobody) {
  Make();
  Send('a', 0);
  ExpectAnswers();
  SendAndHold();
  Send('b', 0);
  Send('c');
  Send('d', 0);
  holds_ = false;
  gate_.Open();
  ExpectAnswers();
  EXPECT_THAT(Executions(), ElementsAre(Rows{0}, Rows{1}, Rows{0}, Rows{1}, Rows{0}));
}

TEST_F(BatchingTest, WhatWaitsForABusyInstanceBecomesABatch) {
  Make();
  SendAndHold();
  Send('a');
  Send('b', 3);
  Send('c');
  gate_.Open();
  ExpectAnswers();
  EXPECT_THAT(Executions(), ElementsAre(Rows{1}, Rows{1, 3, 1}));
  const auto recent = Recent();
  ASSERT_EQ(recent.size(), 2u);
  EXPECT_EQ(recent[1].rows, 5);
  EXPECT_EQ(recent[1].requests, 3);
  EXPECT_EQ(recent[1].reason, BatchReason::kNoneWaiting);
  EXPECT_EQ(version_->statistics().Read().execution_count, 2u);
  EXPECT_EQ(version_->statistics().Read().inference_count, 6u);
}

TEST_F(BatchingTest, NeverMoreRowsThanTheModelTakes) {
  Make();
  SendAndHold();
  for (int i = 0; i < 10; ++i) Send('a', 3);
  gate_.Open();
  ExpectAnswers();
  EXPECT_THAT(Executions(), ElementsAre(Rows{1}, Rows{3, 3}, Rows{3, 3}, Rows{3, 3}, Rows{3, 3}, Rows{3, 3}));
  EXPECT_EQ(Recent()[1].reason, BatchReason::kFull);
  EXPECT_EQ(Recent()[1].left_waiting, 8);
}

TEST_F(BatchingTest, WhatCannotShareIsAnotherBatch) {
  Make();
  SendAndHold();
  Send('a', 1, 2);
  Send('b', 1, 3);
  Send('c', 1, 2);
  gate_.Open();
  ExpectAnswers();
  EXPECT_THAT(Executions(), ElementsAre(Rows{1}, Rows{1, 1}, Rows{1}));
  EXPECT_EQ(Recent()[1].reason, BatchReason::kOtherKind);
}

TEST_F(BatchingTest, ALargerRequestIsAlone) {
  Make();
  SendAndHold();
  Send('a');
  Send('b', 20);
  Send('c');
  gate_.Open();
  ExpectAnswers();
  EXPECT_THAT(Executions(), ElementsAre(Rows{1}, Rows{1, 1}, Rows{20}));
}

TEST_F(BatchingTest, WaitsForCompanyUntilTheDelayIsOver) {
  config_.dynamic_batching->max_queue_delay_us = 2000;
  Make();
  Send('a');
  clock_.AdvanceMs(1);
  fixture_.deadlines().RunDue();
  Send('b');
  EXPECT_THAT(Executions(), ElementsAre());
  clock_.AdvanceMs(1);
  fixture_.deadlines().RunDue();
  ExpectAnswers();
  EXPECT_THAT(Executions(), ElementsAre(Rows{1, 1}));
  EXPECT_EQ(Recent()[0].reason, BatchReason::kDelayOver);
  EXPECT_EQ(Recent()[0].oldest_waited_ns, 2'000'000);
}

TEST_F(BatchingTest, APreferredSizeEndsTheWaiting) {
  config_.dynamic_batching->max_queue_delay_us = 2000;
  config_.dynamic_batching->preferred_batch_sizes = {3};
  Make();
  for (const char c : {'a', 'b', 'c'}) Send(c);
  ExpectAnswers();
  EXPECT_THAT(Executions(), ElementsAre(Rows{1, 1, 1}));
  EXPECT_EQ(Recent()[0].reason, BatchReason::kPreferredSize);
}

TEST_F(BatchingTest, RowsThatAreNoPreferredSizeWait) {
  config_.dynamic_batching->max_queue_delay_us = 2000;
  config_.dynamic_batching->preferred_batch_sizes = {2, 6};
  Make();
  Send('a', 3);
  EXPECT_THAT(Executions(), ElementsAre());
  Send('b', 4);  // would exceed the largest size
  Send('c', 2);
  Send('d', 7);
  ExpectAnswers();
  fixture_.AwaitIdle(*version_);
  Send('e', 1);
  Send('f', 2);
  clock_.AdvanceMs(2);
  fixture_.deadlines().RunDue();
  ExpectAnswers();
  EXPECT_THAT(Executions(), ElementsAre(Rows{3}, Rows{4, 2}, Rows{7}, Rows{1, 2}));
}

TEST_F(BatchingTest, EveryIdleInstanceGetsABatch) {
  Make(3);
  holds_ = true;
  Send('0');
  Send('1');
  Send('2');
  gate_.AwaitEntered(1);
  for (int i = 0; i < 24; ++i) Send('a');
  gate_.AwaitEntered(3);
  gate_.Open();
  ExpectAnswers();
  EXPECT_EQ(fixture_.engine().overlaps_max(), 1);
}

TEST_F(BatchingTest, UrgentRequestsComeFirst) {
  config_.dynamic_batching->priority_levels = 2;
  config_.dynamic_batching->default_priority_level = 2;
  Make();
  SendAndHold();
  for (int i = 0; i < 2; ++i) Send('l', 5);
  Send('h', 6, 2, 1);
  gate_.Open();
  ExpectAnswers();
  EXPECT_THAT(Executions(), ElementsAre(Rows{1}, Rows{6}, Rows{5}, Rows{5}));
  core::QueuedRequest queued = fixture_.Request(version_, nullptr);
  queued.request->priority = 3;
  EXPECT_EQ(fixture_.Send(std::move(queued)).get().status.code(), StatusCode::kInvalidArgument);
}

TEST_F(BatchingTest, MembersOfABatchThatFailedAreTriedAloneOnce) {
  fails_ = true;
  Make();
  SendAndHold();
  Send('a');
  Send('b');
  gate_.Open();
  ExpectAnswers();
  EXPECT_THAT(Executions(), ElementsAre(Rows{1}, Rows{1, 1}, Rows{1}, Rows{1}));
  EXPECT_EQ(Recent()[2].reason, BatchReason::kRetry);
  EXPECT_EQ(version_->statistics().pending(), 0);
}

TEST_F(BatchingTest, WhereSharingIsWhatFailsItEnds) {
  config_.inline_execution = config::InlineExecution::kAlways;
  fails_ = true;
  Make();
  for (int i = 0; i < SharingLimit::kBlamelessMax; ++i) {
    EXPECT_TRUE(version_->scheduler().Report().batching);
    SendInOneTurn(3);
    ExpectAnswers();
    SchedulingFixture::AwaitIdle(*version_);
  }
  const core::SchedulerReport report = version_->scheduler().Report();
  EXPECT_FALSE(report.batching);
  EXPECT_EQ(report.sharing.failed, SharingLimit::kBlamelessMax);
  EXPECT_EQ(report.sharing.repeated, 3 * SharingLimit::kBlamelessMax);
  EXPECT_NE(report.sharing.stopped, "");
  SendInOneTurn(3);
  ExpectAnswers();
  SchedulingFixture::AwaitIdle(*version_);
  EXPECT_EQ(Recent().back().reason, BatchReason::kNotBatching);
  EXPECT_EQ(version_->scheduler().Report().sharing.failed, SharingLimit::kBlamelessMax);
}

TEST_F(BatchingTest, WhereBatchesFailedFewerRequestsShareTheNext) {
  config_.inline_execution = config::InlineExecution::kAlways;
  fails_ = true;
  Make();
  SendInOneTurn(2);
  ExpectAnswers();
  SchedulingFixture::AwaitIdle(*version_);
  fails_ = false;
  const int64_t requests_max = version_->scheduler().Report().sharing.requests_max;
  EXPECT_GT(requests_max, 8) << "one failure changes little";
}

TEST_F(BatchingTest, WhoMayHaveSideEffectsIsNotTriedAgain) {
  config_.side_effect_free = false;
  fails_ = true;
  Make();
  SendAndHold();
  Send('a');
  Send('b');
  gate_.Open();
  EXPECT_TRUE(answers_[0].get().status.ok());
  EXPECT_EQ(answers_[1].get().status, base::Internal("cannot do several"));
  EXPECT_EQ(answers_[2].get().status, base::Internal("cannot do several"));
}

TEST_F(BatchingTest, ATimeoutThatMayNotBeOverriddenFailsThatRequestAlone) {
  config_.dynamic_batching->default_queue_policy.default_timeout_us = 1000;
  for (const bool ignored : {false, true}) {
    Make(1, {.ignores_barred_timeouts = ignored});
    core::QueuedRequest barred = fixture_.Request(version_, nullptr);
    barred.request->timeout_us = 1;
    Send('a');
    const core::InferResponse response = fixture_.Send(std::move(barred)).get();
    EXPECT_EQ(response.status.code(), ignored ? StatusCode::kOk : StatusCode::kInvalidArgument);
    EXPECT_EQ(version_->statistics().failures(core::FailureReason::kRejected), ignored ? 0u : 1u);
    Send('b');
    ExpectAnswers();
  }
}

TEST_F(BatchingTest, ACancelledRequestIsAnsweredWhileTheInstanceIsStillBusy) {
  Make();
  SendAndHold();
  core::QueuedRequest queued = fixture_.Request(version_, nullptr);
  const auto flag = queued.request->cancel = std::make_shared<core::CancelFlag>();
  auto cancelled = fixture_.Send(std::move(queued));
  flag->Cancel();
  clock_.AdvanceMs(10);
  fixture_.deadlines().RunDue();
  EXPECT_EQ(cancelled.get().status.code(), StatusCode::kCancelled);
  EXPECT_EQ(version_->statistics().pending(), 0);
  gate_.Open();
  ExpectAnswers();
}

TEST_F(BatchingTest, NothingRunsBeforeSoManyWaitAndThenAllDoes) {
  Make(1, {.delay_until_queued = 3});
  Send('a');
  Send('b');
  EXPECT_THAT(Executions(), ElementsAre());
  Send('c');
  ExpectAnswers();
  answers_.clear();
  Send('a');
  ExpectAnswers();
  EXPECT_THAT(Executions(), ElementsAre(Rows{1, 1, 1}, Rows{1})) << "once";
}

TEST_F(BatchingTest, WhatWasHeldRunsAlthoughNotAllStayed) {
  config_.dynamic_batching->max_queue_delay_us = 4000;
  Make(1, {.delay_until_queued = 2});
  core::QueuedRequest queued = fixture_.Request(version_, nullptr);
  queued.request->timeout_us = 1000;
  auto late = fixture_.Send(std::move(queued));
  Send('b');
  clock_.AdvanceMs(2);
  fixture_.deadlines().RunDue();
  EXPECT_EQ(late.get().status.code(), StatusCode::kDeadlineExceeded);
  clock_.AdvanceMs(2);
  fixture_.deadlines().RunDue();
  ExpectAnswers();
}

TEST_F(BatchingTest, NobodyIsWaitedForWhomTheAdaptiveLimitMayKeepOut) {
  config_.concurrency = {.min = 2, .max = 2};
  Make(1, {.delay_until_queued = 3});
  Send('a');
  ExpectAnswers();
}

TEST_F(BatchingTest, WarmUpsReachEveryInstance) {
  Make(3, {.delay_until_queued = 9});
  holds_ = true;
  for (int i = 0; i < 3; ++i) {
    core::QueuedRequest queued = fixture_.Request(version_, nullptr);
    queued.warmup = true;
    answers_.push_back(fixture_.Send(std::move(queued)));
  }
  gate_.AwaitEntered(3);
  gate_.Open();
  for (auto& answer : answers_) EXPECT_TRUE(answer.get().status.ok());
  EXPECT_EQ(version_->statistics().Read().execution_count, 0u) << "nobody's requests";
}

TEST_F(BatchingTest, AnswersComeInTheOrderOfTheirRequestsWhereThatIsAskedFor) {
  config_.dynamic_batching->preserve_ordering = true;
  Make(2);
  holds_ = true;
  base::Mutex mutex;
  std::string order;
  const auto send = [&](char name) {
    core::QueuedRequest queued = fixture_.Request(version_, nullptr, 2, 8, name);
    queued.completion = core::Completion([&, name](core::InferResponse) {
      base::MutexLock lock(mutex);
      order += name;
    });
    version_->scheduler().Enqueue(std::move(queued));
  };
  send('a');
  send('b');
  gate_.AwaitEntered(2);
  core::QueuedRequest late = fixture_.Request(version_, nullptr);
  late.request->timeout_us = 1;
  late.completion = core::Completion([&](core::InferResponse response) {
    EXPECT_EQ(response.status.code(), StatusCode::kDeadlineExceeded);
    base::MutexLock lock(mutex);
    order += 'c';
  });
  version_->scheduler().Enqueue(std::move(late));
  clock_.AdvanceMs(1);
  fixture_.deadlines().RunDue();
  gate_.Open();
  EXPECT_TRUE(version_->scheduler().Report().preserve_order);
  version_.reset();
  fixture_.AwaitEnded();  // no callback holds the mutex any more
  EXPECT_EQ(order, "abc");
}

TEST_F(BatchingTest, ALargeRequestIsSplitWhereThatIsAskedFor) {
  splits_ = true;
  Make();
  Send('a', 20);
  ExpectAnswers();
  EXPECT_THAT(Executions(), ::testing::UnorderedElementsAre(Rows{8}, Rows{8}, Rows{4}));
  EXPECT_EQ(version_->statistics().Read().success.count, 1u);
}

TEST_F(BatchingTest, PaddedRequestsOfDifferentSizesShareABatch) {
  config_.padding.push_back(
      {.input = "INPUT0", .dim = 0, .buckets = {4}, .value = 0, .outputs = {{.name = "OUTPUT0", .dim = 0}}});
  Make();
  SendAndHold();
  Send('a', 1, 3);
  Send('b', 1, 4);
  gate_.Open();
  ExpectAnswers();
  EXPECT_THAT(Executions(), ElementsAre(Rows{1}, Rows{1, 1}));
}

TEST_F(BatchingTest, TheAdaptiveLimitRefusesEarly) {
  config_.concurrency = {.min = 1, .max = 1};
  Make();
  SendAndHold();
  const core::InferResponse refused = fixture_.Send(fixture_.Request(version_, nullptr)).get();
  EXPECT_EQ(refused.status.code(), StatusCode::kResourceExhausted);
  EXPECT_GT(refused.retry_after_ms, 0);
  EXPECT_EQ(version_->scheduler().Report().concurrency.shed, 1u);
  gate_.Open();
  ExpectAnswers();
  EXPECT_EQ(version_->scheduler().Report().concurrency.in_flight, 0);
}

TEST_F(BatchingTest, AtTheAdaptiveLimitTheUrgentTakeThePlaceOfTheLeastUrgent) {
  config_.concurrency = {.min = 4, .max = 4};
  config_.dynamic_batching->priority_levels = 3;
  config_.dynamic_batching->default_priority_level = 3;
  Make();
  SendAndHold();
  Send('a', 1, 2, 3);
  Send('b', 1, 2, 2);
  Send('c', 1, 2, 3);
  const auto shed = [this](uint64_t priority) {
    core::QueuedRequest queued = fixture_.Request(version_, nullptr);
    queued.request->priority = priority;
    const core::InferResponse response = fixture_.Send(std::move(queued)).get();
    return response.status.code() == StatusCode::kResourceExhausted && response.retry_after_ms > 0;
  };
  const auto take_place_of = [this](size_t victim, char fill, uint64_t priority) {
    Send(fill, 1, 2, priority);
    const core::InferResponse response = answers_[victim].get();
    EXPECT_EQ(response.status.code(), StatusCode::kResourceExhausted);
    EXPECT_GT(response.retry_after_ms, 0);
  };
  EXPECT_TRUE(shed(3)) << "nobody is less urgent";
  take_place_of(3, 'd', 2);  // c's
  take_place_of(1, 'e', 1);  // a's
  EXPECT_TRUE(shed(2)) << "who runs already keeps his place";
  take_place_of(4, 'f', 1);  // d's, who came after b
  EXPECT_EQ(version_->statistics().pending(), 3);
  const auto report = version_->scheduler().Report().concurrency;
  EXPECT_EQ(report.in_flight, 4);
  EXPECT_EQ(report.shed, 5u);
  gate_.Open();
  ExpectAnswers();  // of the other requests
  EXPECT_EQ(version_->statistics().failures(core::FailureReason::kRejected), 5u);
  EXPECT_EQ(version_->scheduler().Report().concurrency.in_flight, 0);
}

// Each execution has two requests, and leaves the others waiting.
TEST_F(BatchingTest, TheAdaptiveLimitFallsWhereFullBatchesLeaveManyWaiting) {
  EXPECT_LT(LimitAfterItWasReached(4, 1), ConcurrencyLimit::kStart);
}

// More requests would only make the batches larger.
TEST_F(BatchingTest, TheAdaptiveLimitGrowsWhereOtherKindsAreLeftWaiting) {
  EXPECT_GT(LimitAfterItWasReached(1, 5), ConcurrencyLimit::kStart);
}

TEST_F(BatchingTest, EagerBatchesAreFormedWhileTheInstanceRuns) {
  config_.eager_batching = true;
  Make();
  SendAndHold();
  for (int i = 0; i < 9; ++i) Send('a');
  EXPECT_EQ(version_->statistics().pending(), 1) << "eight of them are a full batch";
  gate_.Open();
  ExpectAnswers();
  EXPECT_THAT(Executions(), ElementsAre(Rows{1}, Rows(8, 1), Rows{1}));
}

TEST_F(BatchingTest, TheTunerDecidesWhereItIsAsked) {
  config_.dynamic_batching.reset();
  config_.batching = config::BatchingMode::kAuto;
  config_.latency_objective_us = 7000;
  Make();
  SendAndHold();
  Send('a');
  Send('b');
  gate_.Open();
  ExpectAnswers();
  EXPECT_THAT(Executions(), ElementsAre(Rows{1}, Rows{1, 1}));
  const core::SchedulerReport report = version_->scheduler().Report();
  EXPECT_TRUE(report.tuning.active);
  EXPECT_EQ(report.tuning.objective_ns, 7'000'000);
  EXPECT_FALSE(report.tuning.explanation.empty());
}

TEST_F(BatchingTest, AWrittenDelayGoesBeforeTheTuners) {
  config_.batching = config::BatchingMode::kAuto;
  config_.dynamic_batching->max_queue_delay_us = 2000;
  Make();
  Send('a');
  clock_.AdvanceMs(1);
  fixture_.deadlines().RunDue();
  EXPECT_THAT(Executions(), ElementsAre());
  clock_.AdvanceMs(1);
  fixture_.deadlines().RunDue();
  ExpectAnswers();
  EXPECT_EQ(Recent()[0].reason, BatchReason::kDelayOver);
  EXPECT_EQ(version_->scheduler().Report().delay_ns, 2'000'000);
}

TEST_F(BatchingTest, AnInstanceWaitsForWhatItClaims) {
  config_.instance_groups.emplace_back().resources = {{.name = "R", .global = true, .count = 1}};
  Make();
  auto other = *fixture_.resources().Register({.owner = "other", .needs = {{.name = "R", .device = -1, .count = 1}}});
  ASSERT_TRUE(other->Acquire());
  Send('a');
  Send('b');
  EXPECT_THAT(Executions(), ElementsAre());
  EXPECT_EQ(version_->scheduler().Report().levels[0].requests, 2) << "what waits is no batch yet";
  other->Release(0);
  ExpectAnswers();
  EXPECT_THAT(Executions(), ElementsAre(Rows{1, 1}));
  fixture_.AwaitIdle(*version_);
  EXPECT_TRUE(other->TryAcquire()) << "given back";
  other->Release(0);
}

// An instance with cores of its own creates this instance's thread, which then waits for its claim.
TEST_F(BatchingTest, AnInstanceWithoutAHostPolicyRunsAnywhere) {
  const base::CpuCores all = base::ThreadCpuCores();
  SchedulingFixture fixture(clock_, false, {.host_policies = {{.name = "last", .cpu_cores = {all.back()}}}});
  config_.instance_groups.resize(2);
  config_.instance_groups[1].host_policy = "last";
  config_.instance_groups[1].resources = {{.name = "R", .global = true, .count = 1}};
  auto other = *fixture.resources().Register({.owner = "other", .needs = {{.name = "R", .device = -1, .count = 1}}});
  ASSERT_TRUE(other->Acquire());
  FakeEngine::Script script = Script();
  base::CpuCores cores;
  script.on_execute = [&cores](core::Execution& execution) {
    cores = base::ThreadCpuCores();
    FakeEngine::Identity(execution);
  };
  version_ = fixture.MakeModel(script, config_, {}, 2);
  EXPECT_TRUE(fixture.Send(fixture.Request(version_, nullptr)).get().status.ok());
  EXPECT_EQ(cores, all);
  other->Release(0);
  EXPECT_TRUE(fixture.Send(fixture.Request(version_, nullptr)).get().status.ok());
  version_ = nullptr;
}

size_t Threads() {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

TEST_F(BatchingTest, AnInstanceWithoutWorkHasNoThread) {
  config_.inline_execution = config::InlineExecution::kAlways;
  const size_t before = Threads();
  Make(3);
  Send('a');
  ExpectAnswers();
  EXPECT_EQ(Threads(), before);
  EXPECT_EQ(version_->statistics().inline_executions(), 1u);
}

TEST_F(BatchingTest, WhatOneTurnBringsSharesAnExecutionOnItsThread) {
  config_.inline_execution = config::InlineExecution::kAlways;
  const size_t before = Threads();
  Make();
  SendInOneTurn(3);
  EXPECT_THAT(Executions(), ElementsAre(Rows{1, 1, 1}));
  SendInOneTurn(10);
  SendInOneTurn(1);
  ExpectAnswers();
  EXPECT_THAT(Executions(), ElementsAre(Rows{1, 1, 1}, Rows(8, 1), Rows{1, 1}, Rows{1}));
  EXPECT_EQ(version_->statistics().inline_executions(), 4u);
  EXPECT_EQ(Threads(), before);
}

TEST_F(BatchingTest, WhatOneTurnBringsToAModelWithoutBatchesRunsAtItsEndOneAfterTheOther) {
  config_.inline_execution = config::InlineExecution::kAlways;
  config_.dynamic_batching.reset();
  Make();
  base::Turn turn;
  const base::Turn::Scope here(turn);
  for (const char fill : {'a', 'b', 'c'}) {
    const base::Turn::More more(&turn, fill != 'c');
    Send(fill);
    EXPECT_THAT(Executions(), ElementsAre());
  }
  turn.End();
  EXPECT_THAT(Executions(), ElementsAre(Rows{1}, Rows{1}, Rows{1}));
  EXPECT_EQ(version_->statistics().inline_executions(), 3u);
  ExpectAnswers();
}

TEST_F(BatchingTest, ATurnsLastRequestWaitsForNobodyElse) {
  config_.inline_execution = config::InlineExecution::kAlways;
  Make();
  base::Turn turn;
  const base::Turn::Scope here(turn);
  Send('a');
  EXPECT_THAT(Executions(), ElementsAre(Rows{1}));
  turn.End();
  ExpectAnswers();
}

TEST_F(BatchingTest, BeforeAnExecutionInAnotherProcessTheThreadLooksForMore) {
  config_.inline_execution = config::InlineExecution::kAlways;
  computes_elsewhere_ = true;
  Make();
  base::Turn turn;
  const base::Turn::Scope here(turn);
  for (const char fill : {'a', 'b'}) {
    Send(fill);
    EXPECT_TRUE(turn.TakeLookAgain());
  }
  EXPECT_THAT(Executions(), ElementsAre());
  turn.End();
  ExpectAnswers();
  EXPECT_THAT(Executions(), ElementsAre(Rows{1, 1}));
}

TEST_F(BatchingTest, AnExecutionInAnotherProcessMayKeepTheThreadForLonger) {
  nanoseconds_per_row_ = 150'000;
  computes_elsewhere_ = true;
  Make(1, {.inline_service_ns_max = 100'000});
  for (int i = 0; i <= InlineGate::kSamplesMin; ++i) {
    SendInOneTurn(1);
    ExpectAnswers();
    fixture_.AwaitIdle(*version_);
  }
  EXPECT_EQ(version_->statistics().inline_executions(), 1u);
}

TEST_F(BatchingTest, LargeRequestsOfOneTurnAreNotCopiedTogether) {
  config_.inline_execution = config::InlineExecution::kAlways;
  Make();
  base::Turn turn;
  const base::Turn::Scope here(turn);
  for (int i = 0; i < 2; ++i) {
    const base::Turn::More more(&turn, true);
    Send('l', 1, 20'000);
  }
  turn.End();
  ExpectAnswers();
  EXPECT_THAT(Executions(), ElementsAre(Rows{1}, Rows{1}));
  EXPECT_EQ(version_->statistics().input_copies(), 0u);
}

TEST_F(BatchingTest, ExecutionsOnTheTurnsThreadAreNoLargerThanIsQuick) {
  nanoseconds_per_row_ = 40'000;
  Make(1, {.inline_service_ns_max = 100'000});
  for (int i = 0; i < InlineGate::kSamplesMin; ++i) {
    SendInOneTurn(1);
    ExpectAnswers();
    fixture_.AwaitIdle(*version_);
  }
  EXPECT_EQ(version_->statistics().inline_executions(), 0u) << "nothing was known";
  for (const int64_t requests : {1, 2, 4, 4}) {
    SendInOneTurn(requests);
    ExpectAnswers();
  }
  const std::vector<Rows> all = Executions();
  EXPECT_THAT(std::span(all).subspan(InlineGate::kSamplesMin),
              ElementsAre(Rows{1}, Rows{1, 1}, Rows{1, 1}, Rows{1, 1}, Rows{1, 1}, Rows{1, 1}));
  EXPECT_EQ(version_->statistics().inline_executions(), 6u);
  const auto recent = Recent();
  EXPECT_EQ(recent[recent.size() - 2].reason, BatchReason::kQuickSize);
  EXPECT_EQ(recent.back().reason, BatchReason::kNoneWaiting);
}

TEST_F(BatchingTest, AThreadThatHasRunManyGoesOnInItsNextTurn) {
  config_.inline_execution = config::InlineExecution::kAlways;
  Make();
  base::Turn turn;
  const base::Turn::Scope here(turn);
  for (int i = 0; i < 9 * 8; ++i) {
    const base::Turn::More more(&turn, true);
    Send('t');
  }
  turn.End();
  EXPECT_EQ(Executions().size(), 8u);
  EXPECT_TRUE(turn.continues());
  turn.Begin();
  turn.End();
  EXPECT_THAT(Executions(), ElementsAreArray(std::vector<Rows>(9, Rows(8, 1))));
  ExpectAnswers();
}

TEST_F(BatchingTest, TheReportSaysHowItIsSetAndWhatWaits) {
  config_.dynamic_batching->preferred_batch_sizes = {8, 4};
  config_.dynamic_batching->priority_levels = 2;
  config_.dynamic_batching->default_priority_level = 2;
  Make(1, {.queue_size_max = 5});
  SendAndHold();
  Send('a');
  const core::SchedulerReport report = version_->scheduler().Report();
  EXPECT_TRUE(report.batching);
  EXPECT_EQ(report.rows_max, 8);
  EXPECT_EQ(report.preferred_rows, (Rows{4, 8}));
  EXPECT_EQ(report.instances, 1);
  EXPECT_EQ(report.busy_instances, 1);
  gate_.Open();
  ASSERT_EQ(report.levels.size(), 2u);
  EXPECT_EQ(report.levels[0].requests, 0);
  EXPECT_EQ(report.levels[1].level, 2u);
  EXPECT_EQ(report.levels[1].requests, 1);
  EXPECT_EQ(report.levels[1].size_max, 5);
  ExpectAnswers();
}

}  // namespace
}  // namespace inferd::scheduling
