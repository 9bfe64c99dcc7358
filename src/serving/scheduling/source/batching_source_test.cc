#include "serving/scheduling/source/batching_source.h"

#include <gtest/gtest.h>

#include "serving/scheduling/batch/batch_fixture.h"

namespace inferd::scheduling {
namespace batching_source_test {

using core::BatchReason;

constexpr int64_t kMs = 1'000'000;

// The test plays the instances and the clock.
class BatchingSourceTest : public ::testing::Test {
 protected:
  static constexpr int64_t kRowsMax = 4;

  BatchingSourceTest() {
    config_.name = "m";
    config_.dynamic_batching.emplace();
    fixture_.clock.AdvanceMs(1000);
  }
  ~BatchingSourceTest() override {
    for (const FormedBatch& batch : formed_) delete batch.execution;
  }

  static core::ModelSignature Signature() {
    core::ModelSignature signature = BatchFixture::DefaultSignature();
    signature.max_batch_size = kRowsMax;
    return signature;
  }

  BatchingSource Make(uint32_t queue_size_max = 16, int64_t delay_until_queued = 0) {
    return BatchingSource({.config = config_,
                           .signature = signature_,
                           .significant = {},
                           .statistics = fixture_.statistics,
                           .sharing = sharing_,
                           .admission = admission_,
                           .figures = figures_,
                           .memory = memory_,
                           .queue_size_max = queue_size_max,
                           .delay_until_queued = delay_until_queued});
  }

  int64_t now_ns() const { return fixture_.clock.NowNs(); }

  std::unique_ptr<QueueEntry> Entry(int64_t rows = 1, int64_t columns = 1) {
    auto entry = fixture_.Request(rows, std::vector<int32_t>(static_cast<size_t>(rows * columns)));
    entry->key = MakeBatchKey(entry->queued, signature_, {});
    entry->alone = rows > kRowsMax;
    return entry;
  }
  bool Push(BatchingSource& source, std::unique_ptr<QueueEntry> entry) {
    return source.Push(std::move(entry), now_ns(), dropped_) == nullptr;
  }
  void PushRows(BatchingSource& source, int requests) {
    for (int i = 0; i < requests; ++i) EXPECT_TRUE(Push(source, Entry()));
  }
  bool Ready(BatchingSource& source, int64_t woken = 0) { return source.Ready(woken, now_ns(), dropped_); }
  core::BatchRecord Take(BatchingSource& source, const InlineGate* gate = nullptr) {
    return Keep(source.Take(gate, now_ns(), dropped_));
  }
  // The record has 0 rows if there is no execution.
  core::BatchRecord Keep(const FormedBatch& batch) {
    if (batch.execution != nullptr) formed_.push_back(batch);
    return batch.record;
  }
  int64_t pending() const { return fixture_.statistics.pending(); }

  BatchFixture fixture_{Signature()};
  const core::ModelSignature signature_ = Signature();
  config::ModelConfig config_;
  std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  SharingLimit sharing_{{"m", 1}, *logger_};
  Admission admission_{{}, fixture_.clock, true};
  ExecutionFigures figures_;
  BatchMemory memory_{fixture_.context};
  std::vector<FormedBatch> formed_;
  DroppedEntries dropped_;
};

TEST_F(BatchingSourceTest, ALoneRequestBeginsAtOnceUnlessItIsToWaitForOthers) {
  BatchingSource source = Make();
  EXPECT_EQ(source.BeginsAtOnce(*Entry()), BatchReason::kNoneWaiting);
  EXPECT_EQ(source.BeginsAtOnce(*Entry(kRowsMax)), BatchReason::kFull);
  PushRows(source, 1);
  EXPECT_EQ(source.BeginsAtOnce(*Entry()), std::nullopt) << "one is before it";

  config_.dynamic_batching->max_queue_delay_us = 5000;
  BatchingSource waits = Make();
  EXPECT_EQ(waits.BeginsAtOnce(*Entry()), std::nullopt);
  EXPECT_EQ(waits.BeginsAtOnce(*Entry(kRowsMax)), BatchReason::kFull);
}

TEST_F(BatchingSourceTest, AnExecutionHasAsManyRowsAsThereAreAndFit) {
  BatchingSource source = Make();
  EXPECT_TRUE(source.empty());
  PushRows(source, 6);
  EXPECT_EQ(pending(), 6);
  const core::BatchRecord first = Take(source);
  EXPECT_EQ(first.rows, kRowsMax);
  EXPECT_EQ(first.reason, BatchReason::kFull);
  EXPECT_EQ(first.left_waiting, 2);
  EXPECT_EQ(pending(), 2);
  const core::BatchRecord second = Take(source);
  EXPECT_EQ(second.requests, 2);
  EXPECT_EQ(second.reason, BatchReason::kNoneWaiting);
  EXPECT_TRUE(source.empty());
  EXPECT_EQ(Take(source).rows, 0);
}

TEST_F(BatchingSourceTest, ThereIsWorkForAsManyInstancesAsWhatWaitsFills) {
  BatchingSource source = Make();
  EXPECT_FALSE(Ready(source));
  PushRows(source, kRowsMax);
  EXPECT_TRUE(Ready(source));
  EXPECT_FALSE(Ready(source, 1)) << "the one that was woken takes all of it";
  PushRows(source, 1);
  EXPECT_TRUE(Ready(source, 1));
}

TEST_F(BatchingSourceTest, ABatchDelayIsOverWhenItSays) {
  config_.dynamic_batching->max_queue_delay_us = 5000;
  BatchingSource source = Make();
  PushRows(source, 1);
  fixture_.clock.AdvanceMs(2);
  PushRows(source, 1);
  EXPECT_FALSE(Ready(source));
  EXPECT_EQ(source.due_ns(), now_ns() + 3 * kMs) << "of the first";
  EXPECT_EQ(Take(source).rows, 0);
  fixture_.clock.AdvanceMs(3);
  source.OnTime(now_ns(), dropped_);
  EXPECT_EQ(source.due_ns(), 0);
  EXPECT_TRUE(Ready(source));
  const core::BatchRecord batch = Take(source);
  EXPECT_EQ(batch.rows, 2);
  EXPECT_EQ(batch.reason, BatchReason::kDelayOver);
  EXPECT_TRUE(formed_[0].waited);
}

TEST_F(BatchingSourceTest, NothingBeginsBeforeSoManyWaitOnce) {
  BatchingSource source = Make(16, 3);
  PushRows(source, 2);
  EXPECT_FALSE(Ready(source));
  PushRows(source, 1);
  EXPECT_TRUE(Ready(source));
  EXPECT_EQ(Take(source).requests, 3);
  PushRows(source, 1);
  EXPECT_TRUE(Ready(source));
}

TEST_F(BatchingSourceTest, GivesBackWhatItHasNoRoomFor) {
  BatchingSource source = Make(2);
  PushRows(source, 2);
  EXPECT_EQ(source.size_max(1), 2U);
  EXPECT_FALSE(Push(source, Entry()));
  EXPECT_EQ(pending(), 2);
}

TEST_F(BatchingSourceTest, WhatHasWaitedTooLongLeaves) {
  config_.dynamic_batching->default_queue_policy.default_timeout_us = 4000;
  BatchingSource source = Make();
  PushRows(source, 1);
  EXPECT_EQ(source.due_ns(), now_ns() + 4 * kMs);
  fixture_.clock.AdvanceMs(3);
  source.OnTime(now_ns(), dropped_);
  EXPECT_TRUE(dropped_.empty());
  fixture_.clock.AdvanceMs(1);
  source.OnTime(now_ns(), dropped_);
  ASSERT_EQ(dropped_.size(), 1U);
  EXPECT_EQ(dropped_[0].second, QueueVerdict::kExpire);
  EXPECT_EQ(source.due_ns(), 0);
  EXPECT_TRUE(source.empty());
}

// Requests that add up to a preferred size only after the one between them has left.
TEST_F(BatchingSourceTest, ATimeoutChangesWhatABatchIsMadeOf) {
  config_.dynamic_batching->max_queue_delay_us = 50'000;
  config_.dynamic_batching->preferred_batch_sizes = {4};
  auto& policy = config_.dynamic_batching->default_queue_policy;
  policy.default_timeout_us = 60'000;
  policy.allow_timeout_override = true;
  for (const auto action : {config::TimeoutAction::kDelay, config::TimeoutAction::kReject}) {
    policy.timeout_action = action;
    BatchingSource source = Make();
    for (const int64_t rows : {2, 1, 2}) {
      auto entry = Entry(rows);
      if (rows == 1) entry->queued.request->timeout_us = 5000;
      EXPECT_TRUE(Push(source, std::move(entry)));
    }
    EXPECT_EQ(source.due_ns(), now_ns() + 5 * kMs);
    fixture_.clock.AdvanceMs(5);
    source.OnTime(now_ns(), dropped_);
    EXPECT_TRUE(Ready(source));
    const core::BatchRecord batch = Take(source);
    EXPECT_EQ(batch.rows, 4);
    EXPECT_EQ(batch.requests, 2);
    const bool delays = action == config::TimeoutAction::kDelay;
    EXPECT_EQ(batch.left_waiting, delays ? 1 : 0);
    EXPECT_EQ(dropped_.size(), delays ? 0U : 1U);
    EXPECT_FALSE(Ready(source));
    if (!delays) continue;
    fixture_.clock.AdvanceMs(45);
    EXPECT_EQ(Take(source).reason, BatchReason::kDelayOver) << "nothing is before it";
  }
}

TEST_F(BatchingSourceTest, WhatCanBeCancelledIsLookedAtSoon) {
  BatchingSource source = Make();
  auto entry = Entry();
  const auto cancel = std::make_shared<core::CancelFlag>();
  entry->queued.request->cancel = cancel;
  EXPECT_TRUE(Push(source, std::move(entry)));
  EXPECT_EQ(source.due_ns(), now_ns() + BatchingSource::kCancelSweepNs);
  fixture_.clock.AdvanceNs(BatchingSource::kCancelSweepNs);
  source.OnTime(now_ns(), dropped_);
  EXPECT_TRUE(dropped_.empty());
  EXPECT_EQ(source.due_ns(), now_ns() + BatchingSource::kCancelSweepNs) << "and again";
  cancel->Cancel();
  fixture_.clock.AdvanceNs(BatchingSource::kCancelSweepNs);
  source.OnTime(now_ns(), dropped_);
  ASSERT_EQ(dropped_.size(), 1U);
  EXPECT_EQ(dropped_[0].second, QueueVerdict::kCancel);
}

TEST_F(BatchingSourceTest, MembersOfAFailedExecutionRunAloneAndFirst) {
  BatchingSource source = Make();
  PushRows(source, 1);
  std::vector<std::unique_ptr<QueueEntry>> failed;
  for (const int64_t columns : {2, 3}) failed.push_back(Entry(1, columns));
  source.PushAgain(failed);
  EXPECT_TRUE(failed.empty());
  EXPECT_EQ(pending(), 3);
  for (const size_t columns : {2, 3}) {
    const core::BatchRecord batch = Take(source);
    EXPECT_EQ(batch.requests, 1);
    EXPECT_EQ(batch.reason, BatchReason::kRetry);
    EXPECT_EQ(formed_.back().bytes, columns * 4);
  }
  EXPECT_EQ(Take(source).reason, BatchReason::kNoneWaiting);
}

TEST_F(BatchingSourceTest, FullExecutionsAreFormedAheadForAsManyInstancesAsThereAre) {
  config_.eager_batching = true;
  BatchingSource source = Make();
  const auto form_ahead = [&] { source.FormAhead(2, now_ns(), dropped_); };
  PushRows(source, kRowsMax - 1);
  form_ahead();
  EXPECT_EQ(pending(), kRowsMax - 1) << "more may come";
  PushRows(source, 2 * kRowsMax + 1);
  for (int i = 0; i < 3; ++i) form_ahead();
  EXPECT_EQ(pending(), kRowsMax) << "two of the three";
  EXPECT_TRUE(Ready(source, 1));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Take(source).rows, kRowsMax);
  EXPECT_TRUE(source.empty());
}

TEST_F(BatchingSourceTest, NothingIsFormedAheadUnlessItIsAskedFor) {
  BatchingSource source = Make();
  PushRows(source, kRowsMax);
  source.FormAhead(2, now_ns(), dropped_);
  EXPECT_EQ(pending(), kRowsMax);
}

TEST_F(BatchingSourceTest, AConnectionsThreadTakesNoMoreThanItMayRun) {
  InlineGate gate(100'000);
  for (int i = 0; i < InlineGate::kSamplesMin; ++i) gate.Record(1, 40'000, 64, false);
  BatchingSource source = Make();
  PushRows(source, kRowsMax);
  const int64_t rows = gate.RowsToTake(kRowsMax);
  ASSERT_LT(rows, kRowsMax);
  const core::BatchRecord batch = Take(source, &gate);
  EXPECT_EQ(batch.rows, rows);
  EXPECT_EQ(batch.reason, BatchReason::kQuickSize);
}

TEST_F(BatchingSourceTest, TheLastOfTheLessUrgentMakesRoom) {
  config_.dynamic_batching->priority_levels = 2;
  config_.dynamic_batching->default_priority_level = 2;
  BatchingSource source = Make();
  for (const uint64_t level : {1, 2}) {
    auto entry = Entry();
    entry->level = level;
    EXPECT_TRUE(Push(source, std::move(entry)));
  }
  const auto taken = source.TakeLessUrgent(1, now_ns(), dropped_);
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->level, 2U);
  EXPECT_EQ(pending(), 1);
  EXPECT_EQ(source.TakeLessUrgent(1, now_ns(), dropped_), nullptr);
}

TEST_F(BatchingSourceTest, AllIsGivenUpWhereNoThreadIsToBeHad) {
  BatchingSource source = Make();
  PushRows(source, 3);
  EXPECT_TRUE(Push(source, Entry(1, 2)));
  source.DropAll(now_ns(), dropped_);
  EXPECT_TRUE(source.empty());
  EXPECT_EQ(dropped_.size(), 4U);
  for (const auto& [entry, verdict] : dropped_) EXPECT_EQ(verdict, QueueVerdict::kNoThread);
}

TEST_F(BatchingSourceTest, NothingSharesAnExecutionOnceThatHasProvedWrong) {
  BatchingSource source = Make();
  PushRows(source, 2);
  sharing_.RecordWrongRows("its rows are wrong");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Take(source).requests, 1);
  core::SchedulerReport report;
  source.Report(report);
  EXPECT_FALSE(report.batching);
}

TEST_F(BatchingSourceTest, AModelThatDoesNotBatchHasAnExecutionForEachRequest) {
  config_.dynamic_batching.reset();
  BatchingSource source = Make();
  for (int i = 0; i < 2; ++i) {
    auto entry = Entry();
    entry->alone = true;
    EXPECT_EQ(source.BeginsAtOnce(*entry).has_value(), i == 0);
    EXPECT_TRUE(Push(source, std::move(entry)));
  }
  EXPECT_TRUE(Ready(source, 1));
  EXPECT_FALSE(Ready(source, 2));
  const core::BatchRecord batch = Take(source);
  EXPECT_EQ(batch.requests, 1);
  EXPECT_EQ(batch.reason, BatchReason::kNotBatching);
}

TEST_F(BatchingSourceTest, ReportsItsRulesAndWhatWaits) {
  config_.dynamic_batching->preferred_batch_sizes = {2};
  config_.dynamic_batching->max_queue_delay_us = 5;
  config_.batching = config::BatchingMode::kAuto;
  BatchingSource source = Make();
  auto entry = Entry();
  source.RecordArrival(*entry);
  EXPECT_TRUE(Push(source, std::move(entry)));
  core::SchedulerReport report;
  source.Report(report);
  EXPECT_TRUE(report.batching);
  EXPECT_EQ(report.rows_max, kRowsMax);
  EXPECT_EQ(report.preferred_rows, std::vector<int64_t>{2});
  EXPECT_EQ(report.delay_ns, 5000);
  ASSERT_EQ(report.levels.size(), 1U);
  EXPECT_EQ(report.levels[0].requests, 1);
  EXPECT_EQ(report.levels[0].size_max, 16);
  EXPECT_TRUE(report.tuning.active);
  EXPECT_EQ(report.tuning.objective_ns, 10 * kMs);
}

}  // namespace batching_source_test
}  // namespace inferd::scheduling
