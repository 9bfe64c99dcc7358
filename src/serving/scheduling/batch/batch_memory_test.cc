#include "serving/scheduling/batch/batch_memory.h"

#include <gtest/gtest.h>

#include "serving/scheduling/batch/batch_fixture.h"

namespace inferd::scheduling {
namespace {

TEST(BatchMemoryTest, AnExecutionSaysWhatItsMembersAre) {
  BatchFixture fixture;
  BatchMemory memory(fixture.context);
  std::vector<std::unique_ptr<QueueEntry>> members;
  members.push_back(fixture.Request(1, {1, 2}));
  members.push_back(fixture.Request(2, {1, 2, 3, 4, 5, 6}));
  members[0]->queued.queued_ns = 30;
  members[1]->queued.queued_ns = 20;
  const FormedBatch batch = memory.Form(members, core::BatchReason::kFull);
  const std::unique_ptr<BatchExecution> execution(batch.execution);
  EXPECT_TRUE(members.empty());
  EXPECT_EQ(execution->member_count(), 2U);
  EXPECT_EQ(batch.record.requests, 2);
  EXPECT_EQ(batch.record.rows, 3);
  EXPECT_EQ(batch.record.reason, core::BatchReason::kFull);
  EXPECT_EQ(batch.bytes, 24U) << "of the largest";
  EXPECT_EQ(batch.oldest_ns, 20);
  EXPECT_TRUE(batch.may_run_inline);
}

TEST(BatchMemoryTest, ParametersMayMakeAQuickModelSlow) {
  BatchFixture fixture;
  BatchMemory memory(fixture.context);
  std::vector<std::unique_ptr<QueueEntry>> members;
  members.push_back(fixture.Request(1, {1}));
  members[0]->queued.request->parameters.emplace_back("slow", true);
  const FormedBatch batch = memory.Form(members, core::BatchReason::kFull);
  const std::unique_ptr<BatchExecution> execution(batch.execution);
  EXPECT_FALSE(batch.may_run_inline);
}

TEST(BatchMemoryTest, WhatIsTakenBackIsUsedAgain) {
  BatchFixture fixture;
  BatchMemory memory(fixture.context);
  auto execution = std::make_unique<BatchExecution>(fixture.context);
  const BatchExecution* const execution_at = execution.get();
  std::vector<std::unique_ptr<QueueEntry>> entries;
  entries.push_back(std::make_unique<QueueEntry>());
  const QueueEntry* const entry_at = entries[0].get();
  memory.Recycle(std::move(execution), entries);
  EXPECT_TRUE(entries.empty());
  EXPECT_EQ(memory.NewEntry().get(), entry_at);
  entries.push_back(fixture.Request(1, {1}));
  const std::unique_ptr<BatchExecution> formed(memory.Form(entries, core::BatchReason::kFull).execution);
  EXPECT_EQ(formed.get(), execution_at);
}

}  // namespace
}  // namespace inferd::scheduling
