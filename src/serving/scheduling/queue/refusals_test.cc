#include "serving/scheduling/queue/refusals.h"

#include <gtest/gtest.h>

#include "serving/scheduling/batch/batch_fixture.h"

namespace inferd::scheduling {
namespace {

class RefusalsTest : public ::testing::Test {
 protected:
  uint64_t failures(core::FailureReason reason) const { return fixture_.statistics.failures(reason); }

  BatchFixture fixture_;
  const Refusals refusals_{"m", fixture_.statistics, fixture_.clock};
};

TEST_F(RefusalsTest, OneThatHasNotWaitedIsToldWhenToComeAgain) {
  const auto entry = fixture_.Request(1, {1});
  refusals_.Shed(entry->queued, 40);
  EXPECT_EQ(fixture_.answer(0).status.code(), base::StatusCode::kResourceExhausted);
  EXPECT_EQ(fixture_.answer(0).retry_after_ms, 40);
  EXPECT_TRUE(fixture_.answer(0).refused);
  EXPECT_EQ(failures(core::FailureReason::kRejected), 1U);
  EXPECT_EQ(fixture_.statistics.pending(), 0);
}

TEST_F(RefusalsTest, ThoseThatWaitedAreToldWhatBecameOfThem) {
  DroppedEntries dropped;
  for (const QueueVerdict verdict : {QueueVerdict::kExpire, QueueVerdict::kCancel, QueueVerdict::kNoThread}) {
    dropped.emplace_back(fixture_.Request(1, {1}), verdict);
  }
  fixture_.statistics.AddPending(3);
  refusals_.Answer(std::move(dropped));
  EXPECT_EQ(fixture_.answer(0).status.code(), base::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(fixture_.answer(1).status.code(), base::StatusCode::kCancelled);
  EXPECT_EQ(fixture_.answer(2).status.code(), base::StatusCode::kResourceExhausted);
  for (size_t i = 0; i < 3; ++i) EXPECT_FALSE(fixture_.answer(i).refused);
  EXPECT_EQ(failures(core::FailureReason::kRejected), 2U);
  EXPECT_EQ(failures(core::FailureReason::kCanceled), 1U);
  EXPECT_EQ(fixture_.statistics.pending(), 0);
}

TEST_F(RefusalsTest, APartThatFailsCountsForItsRequestOnce) {
  const auto tally = std::make_shared<core::PartTally>(2);
  DroppedEntries dropped;
  for (int i = 0; i < 2; ++i) {
    dropped.emplace_back(fixture_.Request(1, {1}), QueueVerdict::kExpire);
    dropped.back().first->queued.parts = tally;
  }
  refusals_.Answer(std::move(dropped));
  EXPECT_EQ(failures(core::FailureReason::kRejected), 1U);
}

}  // namespace
}  // namespace inferd::scheduling
