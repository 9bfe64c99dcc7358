#include "serving/repository/demand/load_demands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>

#include "serving/core/held_versions_fixture.h"

namespace inferd::repository {
namespace {

using base::StatusCode;
using ::testing::HasSubstr;

// One model, 'm', whose version 1 is loaded when requests need it.
class LoadDemandsTest : public core::HeldVersionsTest {
 protected:
  LoadDemandsTest() {
    ModelRecord& record = records_.Add("m");
    record.on_demand = true;
    record.wanted[1] = {};
  }
  // Returns the name of the model to plan for.
  ModelRecord* Take(const std::string& model, int64_t deadline_ns = 0) {
    ModelRecord* const planned =
        demands_.Take({.model = model,
                       .version = "",
                       .deadline_ns = deadline_ns,
                       .cancel = cancel_,
                       .done = [this](core::LoadOutcome&& outcome) { outcomes_.push_back(std::move(outcome)); }},
                      records_, deferred_);
    Run();
    return planned;
  }
  void Expire() {
    demands_.Expire(records_, deferred_);
    Run();
  }
  void AnswerWaiters() {
    demands_.AnswerWaiters(Record(), deferred_);
    Run();
  }
  void Run() {
    RunAll(deferred_);
    deferred_.clear();
  }
  ModelRecord& Record() { return *records_.Change("m"); }
  VersionHarness& Harness() { return Record().versions[1]; }

  base::FakeClock clock_;
  metrics::Registry registry_;
  LazyLoading lazy_{.enabled = true, .waiters_max = 2, .wait_max_ms = 100};
  const LazyMetrics metrics_{registry_, lazy_.budget};
  ModelRecords records_{{}};
  LoadDemands demands_{lazy_, clock_, publisher_, metrics_};
  Deferred deferred_;
  std::shared_ptr<core::CancelFlag> cancel_;
  std::vector<core::LoadOutcome> outcomes_;
};

TEST_F(LoadDemandsTest, TheFirstBeginsALoadAndTheNextWaitsForIt) {
  EXPECT_EQ(Take("m"), &Record());
  EXPECT_TRUE(Harness().demanded());
  Harness().QueueForRoom();
  EXPECT_EQ(Take("m"), nullptr);
  EXPECT_EQ(Record().Waiters(), 2u);
  EXPECT_TRUE(outcomes_.empty());
  AnswerWaiters();
  EXPECT_TRUE(outcomes_.empty()) << "it comes";
  ASSERT_TRUE(Harness().BeginLoad({}, {.bytes = 1}));
  const auto version = MakeVersion(1);
  std::ignore = Harness().Serve(version);
  AnswerWaiters();
  ASSERT_EQ(outcomes_.size(), 2u);
  EXPECT_EQ(outcomes_[1].model, version);
  EXPECT_EQ(Record().Waiters(), 0u);
  EXPECT_EQ(Take("m"), nullptr);
  EXPECT_EQ(outcomes_.size(), 3u) << "it is there";
  outcomes_.clear();
  Harness().EndServing().reset();
}

TEST_F(LoadDemandsTest, NoMoreThanSoManyWait) {
  for (int i = 0; i < 3; ++i) Take("m");
  ASSERT_EQ(outcomes_.size(), 1u);
  EXPECT_THAT(outcomes_[0].status.message(), HasSubstr("as many requests as may (2) wait for model 'm'"));
  EXPECT_GT(outcomes_[0].retry_after_ms, 0);
}

TEST_F(LoadDemandsTest, AModelThatIsNotThereIsRefused) {
  EXPECT_EQ(Take("nobody"), nullptr);
  EXPECT_EQ(outcomes_.at(0).status.code(), StatusCode::kNotFound);
}

TEST_F(LoadDemandsTest, AFailedLoadAnswersAllAndHoldsTheNextOff) {
  Take("m");
  Harness().QueueForRoom();
  ASSERT_TRUE(Harness().BeginLoad({}, {.bytes = 1}));
  Harness().FailLoad(base::InvalidArgument("bad magic"), clock_.NowNs());
  AnswerWaiters();
  EXPECT_EQ(outcomes_.at(0).status, base::Unavailable("model 'm' version 1 could not be loaded: bad magic"));
  EXPECT_EQ(Take("m"), nullptr);
  EXPECT_EQ(outcomes_.at(1).retry_after_ms, 1000);
  clock_.AdvanceMs(1000);
  EXPECT_NE(Take("m"), nullptr);
  EXPECT_FALSE(Harness().failure().failed);
}

TEST_F(LoadDemandsTest, WhatWaitsNoMoreIsAnsweredAndLeavesTheQueue) {
  Take("m", clock_.NowNs() + 5);
  cancel_ = std::make_shared<core::CancelFlag>();
  Take("m");
  Harness().QueueForRoom();
  Expire();
  EXPECT_TRUE(outcomes_.empty());
  clock_.AdvanceMs(1);
  Expire();
  EXPECT_EQ(outcomes_.at(0).status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Harness().phase(), VersionHarness::Phase::kWaitingForRoom) << "another needs it";
  cancel_->Cancel();
  Expire();
  EXPECT_EQ(outcomes_.at(1).status.code(), StatusCode::kCancelled);
  EXPECT_EQ(Harness().phase(), VersionHarness::Phase::kResting);
  EXPECT_FALSE(Harness().demanded());
}

TEST_F(LoadDemandsTest, ToLookForTheLateTouchesNoRecordOfThoseThatWait) {
  Take("m");
  records_.Settle();
  const uint64_t before = records_.settled();
  Expire();
  records_.Settle();
  EXPECT_EQ(records_.settled(), before);
}

TEST_F(LoadDemandsTest, TheEndIsToldToAll) {
  Take("m");
  demands_.Close();
  demands_.RefuseWaiters(Record(), deferred_);
  Run();
  EXPECT_EQ(Take("m"), nullptr);
  ASSERT_EQ(outcomes_.size(), 2u);
  for (const core::LoadOutcome& outcome : outcomes_) {
    EXPECT_EQ(outcome.status, base::Unavailable("the server is shutting down"));
    EXPECT_EQ(outcome.retry_after_ms, 0);
  }
}

}  // namespace
}  // namespace inferd::repository
