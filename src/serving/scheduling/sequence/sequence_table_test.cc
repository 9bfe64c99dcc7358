#include "serving/scheduling/sequence/sequence_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace inferd::scheduling {
namespace sequence_table_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kIdleNs = 1'000'000'000;

const base::Status kNoStart = base::InvalidArgument(
    "inference request for sequence 1 to model 'm' must specify the START flag on the first request of the sequence");

class SequenceTableTest : public ::testing::Test {
 protected:
  void Make(size_t lanes, size_t rows, size_t waiting_max = 100, size_t hold_until = 0, size_t hold_until_backlog = 0) {
    table_.emplace(SequenceTable::Rules{.model = "m",
                                        .lanes = lanes,
                                        .rows = rows,
                                        .waiting_max = waiting_max,
                                        .idle_ns = kIdleNs,
                                        .hold_until = hold_until,
                                        .hold_until_backlog = hold_until_backlog});
  }

  struct Sent {
    uint64_t id = 0;
    bool start = false;
    bool end = false;
    uint64_t timeout_us = 0;
    std::shared_ptr<core::CancelFlag> cancel = nullptr;
    int64_t rows = 1;
  };

  base::Status Add(const std::string& name, Sent sent) {
    core::QueuedRequest queued;
    queued.request = std::make_unique<core::InferRequest>();
    queued.request->id = name;
    queued.request->sequence = {.id = sent.id, .start = sent.start, .end = sent.end};
    queued.request->timeout_us = sent.timeout_us;
    queued.request->cancel = sent.cancel;
    queued.layout.rows = sent.rows;
    queued.queued_ns = now_ns_;
    const base::Status status = table_->Add(queued, now_ns_, outcome_);
    EXPECT_EQ(status.ok(), queued.request == nullptr) << "what is refused is left alone";
    Collect();
    return status;
  }

  void Answered(const std::string& name, bool ok = true) {
    table_->OnAnswered(*running_.at(name), ok, now_ns_, outcome_);
    Collect();
  }

  void Pass(int64_t ns) {
    now_ns_ += ns;
    table_->OnTime(now_ns_, outcome_);
    Collect();
  }

  // Return the requests that began since the last call, as "name lane.row", and those that were dropped.
  std::vector<std::string> Started() { return std::exchange(started_, {}); }
  std::vector<std::string> Dropped() { return std::exchange(dropped_, {}); }

  std::optional<SequenceTable> table_;
  int64_t now_ns_ = 1;
  std::vector<base::Status> statuses_;  // of dropped requests

 private:
  void Collect() {
    for (auto& start : outcome_.starts) {
      const std::string& name = start.queued.request->id;
      started_.push_back(name + " " + std::to_string(start.slot.lane) + "." + std::to_string(start.slot.row));
      running_[name] = start.sequence;
    }
    for (auto& dropped : outcome_.dropped) {
      dropped_.push_back(dropped.queued.request->id);
      statuses_.push_back(dropped.verdict == QueueVerdict::kCancel   ? base::Cancelled("")
                          : dropped.verdict == QueueVerdict::kExpire ? base::DeadlineExceeded("")
                                                                     : dropped.status);
    }
    outcome_ = {};
  }

  SequenceTable::Outcome outcome_;
  std::map<std::string, SequenceTable::Sequence*> running_;
  std::vector<std::string> started_;
  std::vector<std::string> dropped_;
};

TEST_F(SequenceTableTest, RequestsOfASequenceRunInOrderAndInOnePlace) {
  Make(2, 2);
  ASSERT_TRUE(Add("a", {.id = 1, .start = true}).ok());
  ASSERT_TRUE(Add("b", {.id = 1}).ok());
  ASSERT_TRUE(Add("c", {.id = 1, .end = true}).ok());
  EXPECT_THAT(Started(), ElementsAre("a 0.0"));
  EXPECT_EQ(table_->waiting(), 2u);
  Answered("a");
  EXPECT_THAT(Started(), ElementsAre("b 0.0"));
  Answered("b", false);
  EXPECT_THAT(Started(), ElementsAre("c 0.0")) << "only a failed START ends a sequence";
  Answered("c");
  EXPECT_EQ(table_->active(), 0u);
  EXPECT_EQ(table_->counts().ended, 1u);
  EXPECT_EQ(Add("d", {.id = 1}), kNoStart);
}

TEST_F(SequenceTableTest, InstancesFillUpEvenly) {
  Make(2, 2);
  for (uint64_t id = 1; id <= 5; ++id) ASSERT_TRUE(Add("r" + std::to_string(id), {.id = id, .start = true}).ok());
  EXPECT_THAT(Started(), ElementsAre("r1 0.0", "r2 1.0", "r3 0.1", "r4 1.1"));
  EXPECT_EQ(table_->backlog(), 1u);
}

TEST_F(SequenceTableTest, TheBacklogIsServedInOrder) {
  Make(1, 1);
  ASSERT_TRUE(Add("a", {.id = 1, .start = true}).ok());
  ASSERT_TRUE(Add("b1", {.id = 2, .start = true}).ok());
  ASSERT_TRUE(Add("c1", {.id = 3, .start = true, .end = true}).ok());
  ASSERT_TRUE(Add("b2", {.id = 2, .end = true}).ok());
  Answered("a");
  EXPECT_THAT(Started(), ElementsAre("a 0.0")) << "it has not ended";
  ASSERT_TRUE(Add("a2", {.id = 1, .end = true}).ok());
  Answered("a2");
  EXPECT_THAT(Started(), ElementsAre("a2 0.0", "b1 0.0"));
  Answered("b1");
  Answered("b2");
  Answered("c1");
  EXPECT_THAT(Started(), ElementsAre("b2 0.0", "c1 0.0"));
  EXPECT_EQ(table_->active(), 0u);
}

TEST_F(SequenceTableTest, OneThatBeginsAnewTakesItsTurn) {
  Make(1, 1);
  ASSERT_TRUE(Add("a", {.id = 1, .start = true, .end = true}).ok());
  ASSERT_TRUE(Add("b", {.id = 2, .start = true, .end = true}).ok());
  ASSERT_TRUE(Add("a2", {.id = 1, .start = true, .end = true}).ok());
  Answered("a");
  Answered("b");
  EXPECT_THAT(Started(), ElementsAre("a 0.0", "b 0.0", "a2 0.0"));
}

TEST_F(SequenceTableTest, AStartInTheMiddleEndsAndBegins) {
  Make(1, 1);
  ASSERT_TRUE(Add("a", {.id = 1, .start = true}).ok());
  ASSERT_TRUE(Add("b", {.id = 1, .start = true}).ok());
  Answered("a");
  Answered("b");
  EXPECT_THAT(Started(), ElementsAre("a 0.0", "b 0.0"));
  EXPECT_EQ(table_->counts().restarted, 1u);
  EXPECT_EQ(table_->counts().begun, 2u);
  EXPECT_TRUE(Add("c", {.id = 1}).ok());
}

TEST_F(SequenceTableTest, WhatFitsToNoSequenceIsRefused) {
  Make(1, 1);
  EXPECT_EQ(
      Add("a", {.id = 0, .start = true}),
      base::InvalidArgument("inference request to model 'm' must specify a non-zero or non-empty correlation ID"));
  EXPECT_EQ(Add("a", {.id = 1, .start = true, .rows = 2}),
            base::InvalidArgument("inference request to model 'm' must specify batch-size 1 due to requirements of "
                                  "sequence batcher"));
  EXPECT_EQ(Add("a", {.id = 1, .end = true}), kNoStart);
  ASSERT_TRUE(Add("a", {.id = 1, .start = true, .end = true}).ok());
  EXPECT_EQ(Add("b", {.id = 1}), kNoStart) << "its end runs";
  EXPECT_EQ(table_->counts().refused, 4u);
  EXPECT_THAT(Dropped(), IsEmpty());
}

TEST_F(SequenceTableTest, WhatWaitsIsBounded) {
  Make(1, 1, 1);
  ASSERT_TRUE(Add("a", {.id = 1, .start = true}).ok());
  ASSERT_TRUE(Add("b", {.id = 1}).ok());
  const auto full = base::ResourceExhausted("Exceeds maximum queue size (1) of model 'm'");
  EXPECT_EQ(Add("c", {.id = 1}), full);
  EXPECT_EQ(Add("d", {.id = 2, .start = true}), full);
  Answered("a");
  EXPECT_TRUE(Add("d", {.id = 2, .start = true}).ok());
  EXPECT_EQ(table_->backlog(), 1u);
}

TEST_F(SequenceTableTest, AFailedStartEndsWhatFollows) {
  Make(1, 1);
  ASSERT_TRUE(Add("a", {.id = 1, .start = true}).ok());
  ASSERT_TRUE(Add("b", {.id = 1}).ok());
  ASSERT_TRUE(Add("c", {.id = 1, .start = true}).ok());
  Answered("a", false);
  EXPECT_THAT(Dropped(), ElementsAre("b"));
  EXPECT_THAT(statuses_, ElementsAre(kNoStart));
  EXPECT_THAT(Started(), ElementsAre("a 0.0", "c 0.0"));
  EXPECT_EQ(table_->counts().failed, 1u);
}

TEST_F(SequenceTableTest, AnIdleSequenceIsForgotten) {
  Make(1, 1);
  ASSERT_TRUE(Add("a", {.id = 1, .start = true}).ok());
  ASSERT_TRUE(Add("b", {.id = 2, .start = true}).ok());
  now_ns_ += 10 * kIdleNs;
  Pass(0);
  EXPECT_EQ(table_->active(), 1u) << "it runs";
  Answered("a");
  EXPECT_EQ(table_->due_ns(), now_ns_ + kIdleNs);
  Pass(kIdleNs - 1);
  EXPECT_THAT(Started(), ElementsAre("a 0.0"));
  Pass(1);
  EXPECT_THAT(Started(), ElementsAre("b 0.0")) << "from the backlog";
  EXPECT_EQ(table_->counts().idled, 1u);
  EXPECT_EQ(Add("a2", {.id = 1}), kNoStart);
  Answered("b");
  EXPECT_TRUE(Add("b2", {.id = 2}).ok());
}

TEST_F(SequenceTableTest, WhatTheBacklogHoldsForTooLongIsDroppedWithItsSequence) {
  Make(1, 1);
  ASSERT_TRUE(Add("a", {.id = 2, .start = true}).ok());
  ASSERT_TRUE(Add("b", {.id = 1, .start = true, .timeout_us = 20'000}).ok());
  ASSERT_TRUE(Add("c", {.id = 1}).ok());
  EXPECT_EQ(table_->due_ns(), now_ns_ + 20'000'000);
  Pass(20'000'000);
  EXPECT_THAT(Dropped(), ElementsAre("b", "c"));
  const auto expired = base::DeadlineExceeded("timeout of the corresponding sequence has been expired");
  EXPECT_THAT(statuses_, ElementsAre(expired, expired));
  EXPECT_EQ(table_->backlog(), 0u);
  EXPECT_EQ(table_->waiting(), 0u);
  EXPECT_EQ(Add("d", {.id = 1}), kNoStart);
}

TEST_F(SequenceTableTest, ACancelledRequestLeavesTheOthers) {
  Make(1, 1);
  const auto cancel = std::make_shared<core::CancelFlag>();
  ASSERT_TRUE(Add("a", {.id = 1, .start = true}).ok());
  ASSERT_TRUE(Add("b", {.id = 1, .cancel = cancel}).ok());
  ASSERT_TRUE(Add("c", {.id = 1}).ok());
  cancel->Cancel();
  Pass(SequenceTable::kCancelSweepNs);
  EXPECT_THAT(Dropped(), ElementsAre("b"));
  EXPECT_THAT(statuses_, ElementsAre(base::Cancelled("")));
  Answered("a");
  EXPECT_THAT(Started(), ElementsAre("a 0.0", "c 0.0"));
}

TEST_F(SequenceTableTest, ACancelledEndEndsAllTheSame) {
  Make(1, 1);
  const auto cancel = std::make_shared<core::CancelFlag>();
  ASSERT_TRUE(Add("a", {.id = 1, .start = true}).ok());
  ASSERT_TRUE(Add("b", {.id = 1, .end = true, .cancel = cancel}).ok());
  cancel->Cancel();
  Pass(SequenceTable::kCancelSweepNs);
  EXPECT_EQ(Add("c", {.id = 1}), kNoStart);
  Answered("a");
  EXPECT_EQ(table_->active(), 0u);
}

TEST_F(SequenceTableTest, ACancelledStartTakesWhatFollowsAlong) {
  Make(1, 1);
  const auto cancel = std::make_shared<core::CancelFlag>();
  ASSERT_TRUE(Add("a", {.id = 1, .start = true}).ok());
  ASSERT_TRUE(Add("b", {.id = 1, .start = true, .cancel = cancel}).ok());
  ASSERT_TRUE(Add("c", {.id = 1}).ok());
  cancel->Cancel();
  Pass(SequenceTable::kCancelSweepNs);
  EXPECT_THAT(Dropped(), ElementsAre("b", "c")) << "not a request of the sequence before";
  Answered("a");
  EXPECT_EQ(Add("d", {.id = 1}), kNoStart);
}

TEST_F(SequenceTableTest, ARefusedStartEndsWhatItWasToBeginAnew) {
  Make(1, 1, 1);
  ASSERT_TRUE(Add("a", {.id = 1, .start = true}).ok());
  ASSERT_TRUE(Add("b", {.id = 1}).ok());
  EXPECT_FALSE(Add("c", {.id = 1, .start = true}).ok());
  EXPECT_EQ(Add("d", {.id = 1}), kNoStart) << "it was for that one";
  Answered("a");
  Answered("b");
  EXPECT_EQ(table_->active(), 0u);
  ASSERT_TRUE(Add("e", {.id = 1, .start = true}).ok());
  Answered("e");
  table_->Refuse({.id = uint64_t{1}, .start = true}, now_ns_, *std::make_unique<SequenceTable::Outcome>());
  EXPECT_EQ(table_->active(), 0u);
}

TEST_F(SequenceTableTest, RequestsAreHeldUntilThereAreSoMany) {
  Make(1, 2, 100, 3);
  ASSERT_TRUE(Add("a", {.id = 1, .start = true}).ok());
  ASSERT_TRUE(Add("b", {.id = 1}).ok());
  EXPECT_THAT(Started(), IsEmpty());
  ASSERT_TRUE(Add("c", {.id = 2, .start = true}).ok());
  EXPECT_THAT(Started(), ElementsAre("a 0.0", "c 0.1"));
  Answered("a");
  EXPECT_THAT(Started(), ElementsAre("b 0.0")) << "once";
}

TEST_F(SequenceTableTest, RequestsAreHeldUntilThereAreSoManyInTheBacklogToo) {
  Make(1, 1, 100, 2, 1);
  ASSERT_TRUE(Add("a", {.id = 1, .start = true}).ok());
  ASSERT_TRUE(Add("b", {.id = 1}).ok());
  EXPECT_THAT(Started(), IsEmpty());
  ASSERT_TRUE(Add("c", {.id = 2, .start = true}).ok());
  EXPECT_THAT(Started(), ElementsAre("a 0.0"));
}

TEST_F(SequenceTableTest, WhatTheBacklogHasDoesNotCountAmongThoseInSlots) {
  Make(1, 1, 100, 2);
  ASSERT_TRUE(Add("a", {.id = 1, .start = true}).ok());
  ASSERT_TRUE(Add("b", {.id = 2, .start = true}).ok());
  EXPECT_THAT(Started(), IsEmpty());
  ASSERT_TRUE(Add("c", {.id = 1}).ok());
  EXPECT_THAT(Started(), ElementsAre("a 0.0"));
}

TEST_F(SequenceTableTest, NumbersAndTextsAreDifferentIds) {
  Make(1, 2);
  ASSERT_TRUE(Add("a", {.id = 1, .start = true}).ok());
  core::QueuedRequest queued;
  queued.request = std::make_unique<core::InferRequest>();
  queued.request->sequence = {.id = std::string("1")};
  SequenceTable::Outcome outcome;
  EXPECT_FALSE(table_->Add(queued, now_ns_, outcome).ok());
}

}  // namespace sequence_table_test
}  // namespace inferd::scheduling
