#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

#include "serving/scheduling/instance_scheduler.h"
#include "tests/support/scheduling_fixture.h"

// Tests executions that the engine finishes after its Execute() has returned.

namespace inferd::scheduling {
namespace {

using inferd::support::FakeEngine;
using ::testing::SizeIs;

class UnfinishedExecutionsTest : public ::testing::Test {
 protected:
  using Answer = std::future<core::InferResponse>;

  // Makes an engine that keeps its executions until Finish().
  FakeEngine::Script Keeping(int unfinished_executions_max = 1) {
    FakeEngine::Script script;
    script.unfinished_executions_max = unfinished_executions_max;
    script.on_execute = [this](core::Execution& execution) {
      base::MutexLock lock(mutex_);
      kept_.push_back(&execution);
      threads_.push_back(std::this_thread::get_id());
      changed_.NotifyAll();
    };
    return script;
  }

  Answer Send(const std::shared_ptr<const core::ModelVersion>& version) {
    return fixture_.Send(fixture_.Request(version, nullptr));
  }
  core::Execution& AwaitBegun(size_t n) {
    base::MutexLock lock(mutex_);
    while (kept_.size() < n) changed_.Wait(mutex_);
    return *kept_[n - 1];
  }
  size_t begun() {
    base::MutexLock lock(mutex_);
    return kept_.size();
  }
  // Waits until the instance's thread has returned from the engine.
  static void AwaitReturned(const core::ModelVersion& version, int busy) {
    while (version.scheduler().Report().busy_instances != busy) std::this_thread::yield();
  }
  static int Busy(const core::ModelVersion& version) { return version.scheduler().Report().busy_instances; }

  base::FakeClock clock_;
  base::Mutex mutex_;
  base::CondVar changed_;
  std::vector<core::Execution*> kept_;
  std::vector<std::thread::id> threads_;  // by execution
  SchedulingFixture fixture_{clock_, false, {.rate_limit = true, .limits = {{.name = "R", .count = 1}}}};
};

TEST_F(UnfinishedExecutionsTest, KeepTheirInstanceUntilTheyAreFinished) {
  const auto version = fixture_.MakeVersion(Keeping());
  Answer first = Send(version);
  core::Execution& execution = AwaitBegun(1);
  Answer second = Send(version);
  EXPECT_EQ(Busy(*version), 1);
  EXPECT_EQ(version->statistics().pending(), 1);
  FakeEngine::Identity(execution);
  EXPECT_TRUE(first.get().status.ok());
  FakeEngine::Identity(AwaitBegun(2));
  EXPECT_TRUE(second.get().status.ok());
  SchedulingFixture::AwaitIdle(*version);
  EXPECT_EQ(begun(), 2U);
}

TEST_F(UnfinishedExecutionsTest, CountUntilTheyAreFinished) {
  const auto version = fixture_.MakeVersion(Keeping(2));
  Answer answer = Send(version);
  core::Execution& execution = AwaitBegun(1);
  AwaitReturned(*version, 0);
  EXPECT_THAT(version->scheduler().RecentExecutions(), SizeIs(0));
  clock_.AdvanceMs(40);
  FakeEngine::Identity(execution);
  EXPECT_TRUE(answer.get().status.ok());
  SchedulingFixture::AwaitIdle(*version);
  const auto executions = version->scheduler().RecentExecutions();
  ASSERT_THAT(executions, SizeIs(1));
  EXPECT_EQ(executions[0].service_ns, 40'000'000);
  EXPECT_EQ(version->scheduler().Report().mean_service_ns, 40'000'000);
}

// Works without earlier measurements, as the thread is not held.
TEST_F(UnfinishedExecutionsTest, BeginInTurnOnTheConnectionsThreadThatTheyAreFinishedOn) {
  FakeEngine::Script script = Keeping();
  script.returns_at_once = true;
  const auto version = fixture_.MakeVersion(std::move(script));
  base::Turn turn;
  std::optional<base::Turn::Scope> here(turn);
  std::vector<Answer> answers;
  for (int i = 0; i < 3; ++i) answers.push_back(Send(version));
  ASSERT_EQ(begun(), 1U);
  EXPECT_EQ(version->statistics().pending(), 2);
  FakeEngine::Identity(*kept_[0]);
  ASSERT_EQ(begun(), 2U);
  EXPECT_EQ(version->statistics().inline_executions(), 2u);
  EXPECT_EQ(threads_, std::vector(2, std::this_thread::get_id()));
  // If the engine finishes it on its own thread, the instance's thread runs the next.
  here.reset();
  FakeEngine::Identity(*kept_[1]);
  FakeEngine::Identity(AwaitBegun(3));
  EXPECT_NE(threads_[2], std::this_thread::get_id());
  for (Answer& answer : answers) EXPECT_TRUE(answer.get().status.ok());
  SchedulingFixture::AwaitIdle(*version);
}

// The main cost of an execution in a model's own process is the hand-over. Once an instance's own thread runs queued
// requests, it would continue, one at a time, as long as any wait.
TEST_F(UnfinishedExecutionsTest, AreFollowedOnTheirThreadByWhatWaitsForTheEndOfItsTurn) {
  FakeEngine::Script script = Keeping();
  script.returns_at_once = true;
  script.computes_elsewhere = true;
  script.executions_ahead = 1;
  const auto version = fixture_.MakeVersion(std::move(script));
  base::Turn turn;
  std::optional<base::Turn::Scope> here(turn);
  std::vector<Answer> answers;
  const auto send = [&] { answers.push_back(Send(version)); };
  send();
  turn.End();
  ASSERT_EQ(begun(), 1U);
  clock_.AdvanceNs(300'000);
  FakeEngine::Identity(*kept_[0]);
  send();
  turn.End();
  ASSERT_EQ(begun(), 2U);
  send();
  FakeEngine::Identity(*kept_[1]);
  EXPECT_EQ(begun(), 3U);
  FakeEngine::Identity(AwaitBegun(3));
  turn.End();
  EXPECT_EQ(threads_, std::vector(3, std::this_thread::get_id()));
  EXPECT_EQ(version->statistics().inline_executions(), 3u);
  here.reset();
  for (Answer& answer : answers) EXPECT_TRUE(answer.get().status.ok());
  SchedulingFixture::AwaitIdle(*version);
}

TEST_F(UnfinishedExecutionsTest, OneMoreIsTakenAheadWhileTheyAreShort) {
  FakeEngine::Script script = Keeping();
  script.executions_ahead = 1;
  const auto version = fixture_.MakeVersion(std::move(script));
  // Their duration is not known yet.
  std::vector<Answer> answers;
  for (int i = 0; i < 2; ++i) answers.push_back(Send(version));
  AwaitBegun(1);
  AwaitReturned(*version, 1);
  EXPECT_EQ(begun(), 1U);
  clock_.AdvanceNs(300'000);
  FakeEngine::Identity(*kept_[0]);
  AwaitBegun(2);
  answers.push_back(Send(version));
  AwaitBegun(3);
  answers.push_back(Send(version));
  AwaitReturned(*version, 1);
  EXPECT_EQ(begun(), 3U);
  EXPECT_EQ(version->statistics().pending(), 1);
  // Nor if they are not short.
  clock_.AdvanceMs(50);
  for (size_t i = 1; i < 4; ++i) FakeEngine::Identity(AwaitBegun(i + 1));
  for (Answer& answer : answers) EXPECT_TRUE(answer.get().status.ok());
  SchedulingFixture::AwaitIdle(*version);
  answers.clear();
  for (int i = 0; i < 2; ++i) answers.push_back(Send(version));
  AwaitBegun(5);
  AwaitReturned(*version, 1);
  EXPECT_EQ(version->statistics().pending(), 1);
  for (size_t i = 4; i < 6; ++i) FakeEngine::Identity(AwaitBegun(i + 1));
  for (Answer& answer : answers) EXPECT_TRUE(answer.get().status.ok());
  SchedulingFixture::AwaitIdle(*version);
}

TEST_F(UnfinishedExecutionsTest, NoneIsTakenAheadOfAModelThatBatches) {
  FakeEngine::Script script = Keeping();
  script.executions_ahead = 1;
  script.signature.max_batch_size = 1;
  config::ModelConfig config;
  config.max_batch_size = 1;
  config.dynamic_batching.emplace();
  const auto version = fixture_.MakeModel(std::move(script), config);
  Answer first = Send(version);
  AwaitBegun(1);
  clock_.AdvanceNs(300'000);
  FakeEngine::Identity(*kept_[0]);
  EXPECT_TRUE(first.get().status.ok());
  SchedulingFixture::AwaitIdle(*version);
  std::vector<Answer> answers;
  for (int i = 0; i < 2; ++i) answers.push_back(Send(version));
  AwaitBegun(2);
  AwaitReturned(*version, 1);
  EXPECT_EQ(version->statistics().pending(), 1);
  for (size_t i = 1; i < 3; ++i) FakeEngine::Identity(AwaitBegun(i + 1));
  for (Answer& answer : answers) EXPECT_TRUE(answer.get().status.ok());
  SchedulingFixture::AwaitIdle(*version);
}

TEST_F(UnfinishedExecutionsTest, AreNotBegunOnAConnectionsThreadWhereTheModelIsNeverToRunThere) {
  FakeEngine::Script script = Keeping();
  script.returns_at_once = true;
  config::ModelConfig config;
  config.inline_execution = config::InlineExecution::kNever;
  const auto version = fixture_.MakeModel(std::move(script), config);
  base::Turn turn;
  const base::Turn::Scope here(turn);
  Answer answer = Send(version);
  FakeEngine::Identity(AwaitBegun(1));
  EXPECT_NE(threads_[0], std::this_thread::get_id());
  EXPECT_TRUE(answer.get().status.ok());
  SchedulingFixture::AwaitIdle(*version);
}

TEST_F(UnfinishedExecutionsTest, AreAsManyAsTheModelTakes) {
  const auto version = fixture_.MakeVersion(Keeping(3));
  std::vector<Answer> answers;
  for (size_t i = 1; i <= 3; ++i) {
    answers.push_back(Send(version));
    AwaitBegun(i);
  }
  AwaitReturned(*version, 1);
  answers.push_back(Send(version));
  EXPECT_EQ(version->statistics().pending(), 1);
  FakeEngine::Identity(*kept_[1]);
  EXPECT_TRUE(answers[1].get().status.ok());
  AwaitBegun(4);
  for (const size_t i : {3, 2, 0}) {
    FakeEngine::Identity(*kept_[i]);
    EXPECT_TRUE(answers[i].get().status.ok());
  }
  SchedulingFixture::AwaitIdle(*version);
}

TEST_F(UnfinishedExecutionsTest, AreSharedOutOverTheInstances) {
  const auto version = fixture_.MakeVersion(Keeping(2), {}, {}, 2);
  std::vector<Answer> answers;
  for (size_t i = 1; i <= 4; ++i) {
    answers.push_back(Send(version));
    AwaitBegun(i);
    AwaitReturned(*version, i < 3 ? 0 : static_cast<int>(i) - 2);
  }
  EXPECT_EQ(fixture_.engine().executions(), 4);
  for (core::Execution* execution : kept_) FakeEngine::Identity(*execution);
  for (Answer& answer : answers) EXPECT_TRUE(answer.get().status.ok());
  SchedulingFixture::AwaitIdle(*version);
}

TEST_F(UnfinishedExecutionsTest, HoldWhatTheirInstanceHasClaimed) {
  config::ModelConfig config;
  config.instance_groups.emplace_back().resources = {{.name = "R", .global = true, .count = 1}};
  const auto one = fixture_.MakeModel(Keeping(5), config);
  const auto other = fixture_.MakeModel(Keeping(5), config);
  Answer first = Send(one);
  core::Execution& execution = AwaitBegun(1);
  Answer second = Send(other);
  while (fixture_.resources().waiting() == 0) std::this_thread::yield();
  Answer third = Send(one);
  EXPECT_EQ(begun(), 1U) << "one at a time where something is shared";
  FakeEngine::Identity(execution);
  EXPECT_TRUE(first.get().status.ok());
  FakeEngine::Identity(AwaitBegun(2));
  FakeEngine::Identity(AwaitBegun(3));
  EXPECT_TRUE(second.get().status.ok());
  EXPECT_TRUE(third.get().status.ok());
}

TEST_F(UnfinishedExecutionsTest, AreFollowedByTheWarmUpsOfTheirInstance) {
  const auto version = fixture_.MakeVersion(Keeping());
  Answer first = Send(version);
  core::Execution& execution = AwaitBegun(1);
  core::QueuedRequest warmup = fixture_.Request(version, nullptr);
  warmup.warmup = true;
  Answer warmed = fixture_.Send(std::move(warmup));
  FakeEngine::Identity(execution);
  FakeEngine::Identity(AwaitBegun(2));
  EXPECT_TRUE(first.get().status.ok());
  EXPECT_TRUE(warmed.get().status.ok());
}

TEST_F(UnfinishedExecutionsTest, OutliveTheirModelsLastUser) {
  auto version = fixture_.MakeVersion(Keeping());
  Answer answer = Send(version);
  core::Execution& execution = AwaitBegun(1);
  version.reset();
  FakeEngine::Identity(execution);
  EXPECT_TRUE(answer.get().status.ok());
  fixture_.AwaitEnded();
}

}  // namespace
}  // namespace inferd::scheduling
