#include "serving/core/model_caller.h"

#include <gmock/gmock.h>

#include "serving/core/held_versions_fixture.h"

namespace inferd::core {
namespace model_caller_test {

using base::StatusCode;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class FakeLoader final : public DemandLoader {
 public:
  void Demand(LoadDemand demand) override { demands.push_back(std::move(demand)); }
  std::vector<LoadDemand> demands;
};

class ModelCallerTest : public HeldVersionsTest {
 protected:
  // Publishes a version that is loaded on demand and not loaded yet.
  void PublishOnDemand() {
    Publish({{.version = 1, .serving = {}, .state = ModelState::kUnavailable, .reason = "waits", .on_demand = true}});
  }

  FakeLoader loader_;
  ModelCaller caller_{publisher_, clock_, &loader_};
};

TEST_F(ModelCallerTest, CallsTheVersionThatAnswers) {
  const auto version = MakeVersion(3);
  Publish({Ready(version)});
  clock_.AdvanceMs(2000);
  caller_.Call(Request(), Record());
  ASSERT_THAT(held_, SizeIs(1));
  EXPECT_EQ(held_[0].version, version);
  EXPECT_EQ(held_[0].queued_ns, clock_.NowNs());
  EXPECT_FALSE(held_[0].slot) << "it takes no place of a client's request";
  EXPECT_FALSE(held_[0].warmup);
  EXPECT_GT(version->used_ns(), 0);
  held_[0].Answer({});
  ASSERT_THAT(answers_, SizeIs(1));
  EXPECT_EQ(answers_[0].model_version, "3");
  held_.clear();
}

TEST_F(ModelCallerTest, SaysWhatIsWrong) {
  const auto version = MakeVersion(3);
  Publish({Ready(version)});
  caller_.Call(Request("4"), Record());
  auto wrong = Request();
  wrong->inputs[0].name = "OTHER";
  caller_.Call(std::move(wrong), Record());
  auto other = Request();
  other->signature = 1;
  caller_.Call(std::move(other), Record());
  ASSERT_THAT(answers_, SizeIs(3));
  EXPECT_EQ(answers_[0].status.code(), StatusCode::kNotFound);
  EXPECT_EQ(answers_[1].status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(answers_[2].status.message(), HasSubstr("has no signature 1"));
  EXPECT_EQ(version->statistics().failures(FailureReason::kRejected), 2u);
}

TEST_F(ModelCallerTest, HasVersionsLoadedOnDemand) {
  PublishOnDemand();
  caller_.Call(Request(), Record());
  caller_.Call(Request(), Record());
  ASSERT_THAT(loader_.demands, SizeIs(2));
  EXPECT_EQ(loader_.demands[0].model, "m");
  const auto version = MakeVersion(1);
  loader_.demands[0].done({.status = {}, .model = version});
  ASSERT_THAT(held_, SizeIs(1));
  EXPECT_EQ(held_[0].version, version);
  loader_.demands[1].done({.status = base::Unavailable("broken"), .model = nullptr, .retry_after_ms = 7});
  ASSERT_THAT(answers_, SizeIs(1));
  EXPECT_EQ(answers_[0].status, base::Unavailable("broken"));
  EXPECT_EQ(answers_[0].retry_after_ms, 7);
  held_[0].Answer({});
  held_.clear();
}

TEST_F(ModelCallerTest, AModelWithoutStateIgnoresTheSequence) {
  auto keeps = std::make_shared<ModelSignature>();
  keeps->inputs = {{.name = "IN", .datatype = tensor::DataType::kInt8, .shape = {-1}}};
  keeps->sequences = true;
  std::vector<ModelVersion::Function> others(1);
  others[0] = {.signature = std::move(keeps), .scheduler = std::make_unique<HoldingScheduler>(held_)};
  const auto version = MakeVersion(3, std::move(others));
  Publish({Ready(version)});
  const auto with_sequence = [](uint32_t signature) {
    auto request = Request();
    request->signature = signature;
    request->sequence = {.id = std::string("s"), .start = true, .end = true};
    return request;
  };
  caller_.Call(with_sequence(0), Record());
  caller_.Call(version, with_sequence(0), Record());
  caller_.Call(version, with_sequence(1), Record());
  ASSERT_THAT(held_, SizeIs(3));
  EXPECT_FALSE(held_[0].request->sequence.named());
  EXPECT_FALSE(held_[1].request->sequence.named());
  EXPECT_TRUE(held_[2].request->sequence.named() && held_[2].request->sequence.end);
  for (QueuedRequest& queued : held_) queued.Answer({});
  held_.clear();
}

TEST_F(ModelCallerTest, WithoutALoaderNothingIsLoaded) {
  PublishOnDemand();
  ModelCaller(publisher_, clock_, nullptr).Call(Request(), Record());
  ASSERT_THAT(answers_, SizeIs(1));
  EXPECT_EQ(answers_[0].status.code(), StatusCode::kUnavailable);
}

TEST_F(ModelCallerTest, WarmsUpWhatIsNotPublished) {
  const auto version = MakeVersion(3);
  ModelCaller::WarmUp(version, Request(), Record());
  ASSERT_THAT(held_, SizeIs(1));
  EXPECT_TRUE(held_[0].warmup);
  held_[0].Answer({});
  held_.clear();
  auto wrong = Request();
  wrong->inputs.clear();
  ModelCaller::WarmUp(version, std::move(wrong), Record());
  EXPECT_THAT(held_, IsEmpty());
  ASSERT_THAT(answers_, SizeIs(2));
  EXPECT_EQ(answers_[1].status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(version->statistics().failures(FailureReason::kRejected), 0u);
}

TEST_F(ModelCallerTest, WhatIsNotWaitedForIsNotQueued) {
  const auto version = MakeVersion(3);
  Publish({Ready(version)});
  clock_.AdvanceMs(10);
  auto cancelled = Request();
  cancelled->cancel = std::make_shared<CancelFlag>();
  cancelled->cancel->Cancel();
  caller_.Call(std::move(cancelled), Record());
  auto late = Request();
  late->deadline_ns = clock_.NowNs();
  caller_.Call(std::move(late), Record());
  ASSERT_THAT(answers_, SizeIs(2));
  EXPECT_EQ(answers_[0].status, base::Cancelled("the request was cancelled"));
  EXPECT_EQ(answers_[1].status, base::DeadlineExceeded("Request timeout expired"));
  EXPECT_EQ(version->statistics().failures(FailureReason::kCanceled), 1u);
  EXPECT_EQ(version->statistics().failures(FailureReason::kRejected), 1u);
  EXPECT_THAT(held_, IsEmpty());
}

TEST_F(ModelCallerTest, WhatIsNotWaitedForHasNothingLoaded) {
  PublishOnDemand();
  auto cancelled = Request();
  cancelled->cancel = std::make_shared<CancelFlag>();
  cancelled->cancel->Cancel();
  caller_.Call(std::move(cancelled), Record());
  ASSERT_THAT(answers_, SizeIs(1));
  EXPECT_EQ(answers_[0].status.code(), StatusCode::kCancelled);
  EXPECT_THAT(loader_.demands, IsEmpty());
}

TEST_F(ModelCallerTest, ALoadMayTakeTooLong) {
  PublishOnDemand();
  auto request = Request();
  request->deadline_ns = clock_.NowNs() + 1'000'000;
  caller_.Call(std::move(request), Record());
  ASSERT_THAT(loader_.demands, SizeIs(1));
  clock_.AdvanceMs(2);
  loader_.demands[0].done({.status = {}, .model = MakeVersion(1)});
  ASSERT_THAT(answers_, SizeIs(1));
  EXPECT_EQ(answers_[0].status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(held_, IsEmpty());
}

}  // namespace model_caller_test
}  // namespace inferd::core
