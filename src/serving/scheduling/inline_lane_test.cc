#include "serving/scheduling/inline_lane.h"

#include <gtest/gtest.h>

#include "serving/scheduling/batch/batch_fixture.h"

namespace inferd::scheduling {
namespace {

constexpr int64_t kNow = 1'000'000'000;

class InlineLaneTest : public ::testing::Test {
 protected:
  InlineLaneTest() { config_.inline_execution = config::InlineExecution::kAlways; }

  InlineLane Make(InlineLane::Traits traits = {}) { return InlineLane(config_, traits, {}, held_); }
  std::unique_ptr<QueueEntry> Entry() { return fixture_.Request(1, {1, 2}); }

  config::ModelConfig config_;
  BatchFixture fixture_;
  std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  HeldThreads held_{*logger_};
};

TEST_F(InlineLaneTest, RunsWhatTheGateLetsIn) {
  EXPECT_TRUE(Make().MayRun(*Entry()));
  EXPECT_TRUE(Make().open());
  config_.inline_execution = config::InlineExecution::kNever;
  EXPECT_FALSE(Make().MayRun(*Entry()));
  EXPECT_FALSE(Make().open());
}

TEST_F(InlineLaneTest, DoesNotRunWhatMayTakeAnyTime) {
  const InlineLane lane = Make();
  auto parameters = Entry();
  parameters->queued.request->parameters.emplace_back("slow", true);
  EXPECT_FALSE(lane.MayRun(*parameters));
  auto part = Entry();
  part->queued.parts = std::make_shared<core::PartTally>(2);
  EXPECT_FALSE(lane.MayRun(*part));
  FormedBatch batch;
  batch.record.rows = 1;
  EXPECT_FALSE(lane.MayRun(batch));
  batch.may_run_inline = true;
  EXPECT_TRUE(lane.MayRun(batch));
  held_.Add();
  EXPECT_FALSE(lane.MayRun(batch)) << "a thread is held already";
  EXPECT_FALSE(lane.MayRun(*Entry()));
}

TEST_F(InlineLaneTest, RunsNothingOnAThreadThatDoesNotExecute) {
  base::Turn turn("ops", false);
  const base::Turn::Scope here(turn);
  EXPECT_FALSE(Make().MayRun(*Entry()));
}

TEST_F(InlineLaneTest, GathersWhatAThreadBringsInOneTurn) {
  InlineLane lane = Make();
  base::Turn turn;
  const base::Turn::Scope here(turn);
  EXPECT_FALSE(lane.GathersFor(*Entry(), nullptr));
  EXPECT_FALSE(lane.GathersFor(*Entry(), &turn)) << "it is the last";
  {
    const base::Turn::More more(&turn, true);
    EXPECT_TRUE(lane.GathersFor(*Entry(), &turn));
    auto alone = Entry();
    alone->alone = true;
    EXPECT_TRUE(lane.GathersFor(*alone, &turn)) << "its execution follows that of another";
    EXPECT_TRUE(lane.BeginGathering(turn));
    EXPECT_FALSE(lane.BeginGathering(turn)) << "its end is waited for already";
  }
  EXPECT_TRUE(lane.GathersFor(*Entry(), &turn)) << "it goes with those before";
  lane.EndGathering(turn);
  EXPECT_FALSE(lane.GathersFor(*Entry(), &turn));
}

TEST_F(InlineLaneTest, LooksForMoreBeforeAnExecutionInAnotherProcess) {
  InlineLane lane = Make({.computes_elsewhere = true});
  base::Turn turn;
  const base::Turn::Scope here(turn);
  EXPECT_TRUE(lane.GathersFor(*Entry(), &turn));
  EXPECT_TRUE(lane.BeginGathering(turn));
  EXPECT_TRUE(turn.TakeLookAgain());
}

TEST_F(InlineLaneTest, AnExecutionStaysNoLongerThanASlowOneTakes) {
  constexpr int64_t kLimitNs = 100'000;
  const auto stays = [this](config::InlineExecution mode, InlineLane::Traits traits) {
    config_.inline_execution = mode;
    InlineLane lane(config_, traits, {.inline_service_ns_max = kLimitNs}, held_);
    InstanceWorker worker;
    lane.SetUp(worker);
    return worker.inline_run.ns_max;
  };
  EXPECT_EQ(stays(config::InlineExecution::kAuto, {}), 4 * kLimitNs);
  EXPECT_EQ(stays(config::InlineExecution::kAuto, {.computes_elsewhere = true}), HeldThreads::kHeldNs);
  EXPECT_EQ(stays(config::InlineExecution::kAuto, {.decoupled = true}), HeldThreads::kHeldNs);
  EXPECT_EQ(stays(config::InlineExecution::kAlways, {}), HeldThreads::kHeldNs) << "whatever it takes";
}

TEST_F(InlineLaneTest, AnExecutionThatStaysForLongerLeavesItsConnections) {
  const auto moves = [this](config::InlineExecution mode, InlineLane::Traits traits, int64_t limit_ns = 100'000) {
    config_.inline_execution = mode;
    InlineLane lane(config_, traits, {.inline_service_ns_max = limit_ns}, held_);
    InstanceWorker worker;
    lane.SetUp(worker);
    EXPECT_EQ(lane.is_movable(), worker.inline_run.move_ns > 0);
    return worker.inline_run.move_ns;
  };
  constexpr auto kAuto = config::InlineExecution::kAuto;
  EXPECT_EQ(moves(kAuto, {}), 20'000'000);
  EXPECT_EQ(moves(kAuto, {.decoupled = true}), 20'000'000);
  EXPECT_EQ(moves(kAuto, {}, 50'000'000), 200'000'000);
  EXPECT_LT(moves(kAuto, {}, 500'000'000), HeldThreads::kHeldNs) << "before it counts as held";
  EXPECT_EQ(moves(config::InlineExecution::kAlways, {}), 900'000'000);
  for (const InlineLane::Traits traits :
       {InlineLane::Traits{.computes_elsewhere = true}, {.returns_at_once = true}, {.only_waits = true}}) {
    EXPECT_EQ(moves(kAuto, traits), 0);
  }
}

TEST_F(InlineLaneTest, WhatHasLeftItsConnectionsKeepsNoOtherModelFromRunning) {
  InlineLane lane = Make();
  std::vector<std::unique_ptr<InstanceWorker>> workers;
  InstanceWorker& worker = *workers.emplace_back(std::make_unique<InstanceWorker>());
  lane.SetUp(worker);
  lane.Watch(kNow);
  worker.inline_run.since_ns = kNow;
  EXPECT_FALSE(lane.FindHeld(workers, lane.due_ns()).moved);
  EXPECT_TRUE(held_.any());
  worker.inline_run.OnMoved();
  EXPECT_EQ(lane.FindHeld(workers, lane.due_ns()).held_ns, 0) << "not to be said again";
  EXPECT_FALSE(held_.any());
  const InlineLane::Held held = lane.FindHeld(workers, lane.due_ns());
  EXPECT_EQ(held.held_ns, 2 * HeldThreads::kHeldNs);
  EXPECT_TRUE(held.moved);
  EXPECT_FALSE(held_.any());
  EXPECT_TRUE(lane.LetGo(worker));
  EXPECT_FALSE(worker.inline_run.moved);
}

TEST_F(InlineLaneTest, DoesNotRunWhatHasLeftAThreadOnce) {
  BatchExecution execution(fixture_.context);
  auto entry = Entry();
  entry->evicted = true;
  execution.Add(std::move(entry));
  FormedBatch batch;
  batch.execution = &execution;
  batch.record.rows = 1;
  batch.may_run_inline = true;
  EXPECT_FALSE(Make().MayRun(batch));
}

TEST_F(InlineLaneTest, WhatHoldsAThreadIsFound) {
  InlineLane lane = Make();
  std::vector<std::unique_ptr<InstanceWorker>> workers;
  InstanceWorker& worker = *workers.emplace_back(std::make_unique<InstanceWorker>());
  lane.Watch(kNow);
  worker.inline_run.since_ns = kNow;
  EXPECT_EQ(lane.due_ns(), kNow + HeldThreads::kHeldNs);
  EXPECT_EQ(lane.FindHeld(workers, lane.due_ns() - 1).held_ns, 0) << "it is not time yet";
  EXPECT_EQ(lane.FindHeld(workers, lane.due_ns()).held_ns, HeldThreads::kHeldNs);
  EXPECT_TRUE(held_.any());
  EXPECT_FALSE(lane.open()) << "for good";
  EXPECT_EQ(lane.due_ns(), kNow + HeldThreads::kHeldNs + 100'000'000) << "whether it has left its connections";
  EXPECT_EQ(lane.FindHeld(workers, kNow + 2 * HeldThreads::kHeldNs - 1).held_ns, 0);
  EXPECT_EQ(lane.due_ns(), kNow + 2 * HeldThreads::kHeldNs) << "to be said again";
  EXPECT_EQ(LongestInlineNs(workers, kNow + 7), 7);
  EXPECT_EQ(DescribeInline(workers, {"m", 1}), "model 'm' version 1");

  worker.inline_run.since_ns = 0;
  EXPECT_TRUE(lane.LetGo(worker));
  EXPECT_FALSE(held_.any());
  EXPECT_FALSE(lane.LetGo(worker)) << "that is said once";
  EXPECT_EQ(lane.FindHeld(workers, lane.due_ns()).held_ns, 0);
  EXPECT_EQ(lane.due_ns(), 0);
  EXPECT_EQ(DescribeInline(workers, {"m", 1}), "");
}

}  // namespace
}  // namespace inferd::scheduling
