#include "serving/core/local_dispatcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serving/core/held_versions_fixture.h"

namespace inferd::core {
namespace {

using base::StatusCode;
using ::testing::HasSubstr;

class LocalDispatcherTest : public HeldVersionsTest {
 protected:
  InflightLimit inflight_{{.requests = 2}};
  LocalDispatcher dispatcher_{publisher_, inflight_, clock_};
};

TEST_F(LocalDispatcherTest, ARequestMayChooseASignature) {
  std::vector<QueuedRequest> of_other;
  auto other = std::make_shared<ModelSignature>();
  other->name = "other";
  other->inputs = {{.name = "IN", .datatype = tensor::DataType::kInt8, .shape = {-1, 5}}};
  std::vector<ModelVersion::Function> others(1);
  others[0] = {.signature = other, .scheduler = std::make_unique<HoldingScheduler>(of_other)};
  const auto version = MakeVersion(1, std::move(others));
  Publish({Ready(version)});
  const auto pinned = dispatcher_.Find("m", "").value();
  ASSERT_EQ(pinned->signatures().size(), 2u);
  EXPECT_EQ(pinned->signatures()[0], &pinned->signature());
  EXPECT_EQ(pinned->signatures()[1], other.get());

  auto request = Request();
  request->signature = 1;
  dispatcher_.Infer(pinned, std::move(request), Record());
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].status.code(), StatusCode::kInvalidArgument) << "its shape is the first one's";

  request = Request();
  request->signature = 1;
  request->inputs[0].shape = {1, 5};
  request->inputs[0].data = base::BufferSlice(base::Buffer::CopyOf("abcde"));
  dispatcher_.Infer(pinned, std::move(request), Record());
  ASSERT_EQ(of_other.size(), 1u);
  of_other[0].Fail(base::Internal(""));
  of_other.clear();
  EXPECT_TRUE(held_.empty());

  request = Request();
  request->signature = 2;
  dispatcher_.Infer(pinned, std::move(request), Record());
  ASSERT_EQ(answers_.size(), 3u);
  EXPECT_EQ(answers_[2].status, base::InvalidArgument("model 'm' has no signature 2"));
}

TEST_F(LocalDispatcherTest, ALabelNamesAVersion) {
  const auto one = MakeVersion(1);
  std::map<std::string, CatalogSnapshot::Model> models;
  models["m"] = {.versions = {Ready(one)}, .reason = "", .labels = {{"stable", 1}, {"next", 2}}};
  publisher_.Publish(std::make_shared<const CatalogSnapshot>(models));
  EXPECT_EQ(dispatcher_.LabelledVersion("m", "stable").value(), "1");
  EXPECT_EQ(dispatcher_.LabelledVersion("m", "next").value(), "2");
  EXPECT_EQ(dispatcher_.LabelledVersion("m", "other").error().code(), StatusCode::kInvalidArgument);
}

TEST_F(LocalDispatcherTest, TheHighestReadyVersionAnswers) {
  const auto one = MakeVersion(1);
  const auto two = MakeVersion(2);
  Publish({Ready(one), Ready(two), {.version = 3, .serving = {}, .state = ModelState::kLoading, .reason = ""}});
  EXPECT_EQ(dispatcher_.Find("m", "").value()->version(), "2");
  EXPECT_EQ(dispatcher_.Find("m", "1").value()->version(), "1");
}

TEST_F(LocalDispatcherTest, UnknownIsNotFoundAndNotReadyIsUnavailable) {
  Publish({{.version = 1, .serving = {}, .state = ModelState::kUnavailable, .reason = "no such operator"}},
          "version 1: no such operator");
  EXPECT_EQ(dispatcher_.Find("n", "").error(), base::NotFound("Request for unknown model: 'n' is not found"));
  EXPECT_EQ(dispatcher_.Find("m", "2").error(),
            base::NotFound("Request for unknown model: 'm' version 2 is not found"));
  for (const char* version : {"v1", "-1", "01"}) {
    EXPECT_EQ(dispatcher_.Find("m", version).error(),
              base::NotFound("failed to get model version from specified version string '" + std::string(version) +
                             "': expected a whole number without leading zeros"));
  }
  EXPECT_EQ(dispatcher_.Find("m", "").error(),
            base::Unavailable("Request for unknown model: 'm' has no available versions: version 1: no such operator"));
  EXPECT_EQ(dispatcher_.Find("m", "1").error(),
            base::Unavailable("Request for unknown model: 'm' version 1 is not at ready state: no such operator"));
}

TEST_F(LocalDispatcherTest, ARequestIsHandedOverWithItsLayout) {
  const auto version = MakeVersion(1);
  Publish({Ready(version)});
  dispatcher_.Infer(nullptr, Request(), Record());
  ASSERT_EQ(held_.size(), 1u);
  EXPECT_EQ(held_[0].version, version);
  EXPECT_EQ(held_[0].layout.inputs.size(), 1u);
  EXPECT_EQ(held_[0].queued_ns, clock_.NowNs());
  EXPECT_EQ(inflight_.count(), 1);
  held_[0].Answer({});
  EXPECT_EQ(inflight_.count(), 0);
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].model_name, "m");
  EXPECT_EQ(answers_[0].model_version, "1");
  held_.clear();
}

TEST_F(LocalDispatcherTest, WhatWasPinnedAnswersEvenIfItIsReplaced) {
  auto old = MakeVersion(1);
  Publish({Ready(old)});
  auto pinned = dispatcher_.Find("m", "").value();
  const auto fresh = MakeVersion(1);
  Publish({Ready(fresh)});
  dispatcher_.Infer(std::move(pinned), Request(), Record());
  ASSERT_EQ(held_.size(), 1u);
  EXPECT_EQ(held_[0].version, old);
  held_[0].Answer({});
  held_.clear();
}

TEST_F(LocalDispatcherTest, ABadRequestIsAnsweredAtOnce) {
  const auto version = MakeVersion(1);
  Publish({Ready(version)});
  auto request = Request();
  request->id = "7";
  request->inputs[0].shape = {3};
  dispatcher_.Infer(nullptr, std::move(request), Record());
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(answers_[0].id, "7");
  EXPECT_TRUE(answers_[0].final);
  EXPECT_EQ(inflight_.count(), 0);
  EXPECT_EQ(version->statistics().failures(FailureReason::kRejected), 1u);
}

TEST_F(LocalDispatcherTest, TheServersLimitSaysWhenToRetry) {
  const auto version = MakeVersion(1);
  Publish({Ready(version)});
  for (int i = 0; i < 3; ++i) dispatcher_.Infer(nullptr, Request(), Record());
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].status.code(), StatusCode::kResourceExhausted);
  EXPECT_GT(answers_[0].retry_after_ms, 0);
  held_[0].Answer({});
  dispatcher_.Infer(nullptr, Request(), Record());
  EXPECT_EQ(held_.size(), 3u) << "there is room again";
  for (size_t i = 1; i < held_.size(); ++i) held_[i].Answer({});
  held_.clear();
}

// If the requests of one model pile up, memory is left for those of another.
TEST_F(LocalDispatcherTest, AVersionHoldsOnlySoMuchMemory) {
  InflightLimit inflight({.requests = 100, .bytes = 10});
  LocalDispatcher dispatcher(publisher_, inflight, clock_);
  const auto stuck = MakeVersion(1);
  const auto other = MakeVersion(2);
  Publish({Ready(stuck), Ready(other)});
  for (int i = 0; i < 3; ++i) dispatcher.Infer(stuck, Request(), Record());
  ASSERT_EQ(answers_.size(), 1u) << "of two bytes each";
  EXPECT_EQ(answers_[0].status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(answers_[0].status.message(), HasSubstr("model 'm'"));
  EXPECT_GT(answers_[0].retry_after_ms, 0);
  EXPECT_EQ(inflight.count(), 2);
  dispatcher.Infer(other, Request(), Record());
  EXPECT_EQ(held_.size(), 3u);
  held_[0].Answer({});
  EXPECT_EQ(stuck->share().bytes(), 2);
  dispatcher.Infer(stuck, Request(), Record());
  EXPECT_EQ(held_.size(), 4u) << "there is room again";
  for (size_t i = 1; i < held_.size(); ++i) held_[i].Answer({});
  EXPECT_EQ(stuck->share().bytes(), 0);
  held_.clear();
}

TEST_F(LocalDispatcherTest, NobodyWaitsAnyMore) {
  const auto version = MakeVersion(1);
  Publish({Ready(version)});
  auto late = Request();
  late->deadline_ns = clock_.NowNs();
  dispatcher_.Infer(nullptr, std::move(late), Record());
  auto cancelled = Request();
  cancelled->cancel = std::make_shared<CancelFlag>();
  cancelled->cancel->Cancel();
  dispatcher_.Infer(nullptr, std::move(cancelled), Record());
  ASSERT_EQ(answers_.size(), 2u);
  EXPECT_EQ(answers_[0].status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(answers_[1].status.code(), StatusCode::kCancelled);
  EXPECT_TRUE(held_.empty());
}

TEST_F(LocalDispatcherTest, ASnapshotKeepsNoVersionLoaded) {
  auto version = MakeVersion(1);
  Publish({Ready(version)});
  EXPECT_TRUE(dispatcher_.Find("m", "").has_value());
  version.reset();
  while (ended_ == 0) std::this_thread::yield();
  EXPECT_EQ(dispatcher_.Find("m", "").error().code(), StatusCode::kUnavailable);
}

TEST_F(LocalDispatcherTest, AVersionEndsOnTheRetireThread) {
  struct Task : base::Executor {
    void Post(base::Task task) override { tasks.push_back(std::move(task)); }
    std::vector<base::Task> tasks;
  } executor;
  bool gone = false;
  auto version = ModelVersion::Create({.id = {"m", 1},
                                       .generation = 1,
                                       .repository = "",
                                       .platform = "",
                                       .config = nullptr,
                                       .signature = nullptr,
                                       .statistics = nullptr,
                                       .scheduler = nullptr},
                                      executor, [&gone] { gone = true; });
  version.reset();
  EXPECT_FALSE(gone);
  ASSERT_EQ(executor.tasks.size(), 1u);
  executor.tasks[0]();
  EXPECT_TRUE(gone);
}

class FakeLoader final : public DemandLoader {
 public:
  void Demand(LoadDemand demand) override { demands.push_back(std::move(demand)); }
  std::vector<LoadDemand> demands;
};

TEST_F(LocalDispatcherTest, WhoWaitsForALoadIsInFlight) {
  FakeLoader loader;
  LocalDispatcher dispatcher(publisher_, inflight_, clock_, &loader);
  Publish({{.version = 1, .serving = {}, .state = ModelState::kUnavailable, .reason = "", .on_demand = true}});
  EXPECT_TRUE(dispatcher.LoadsOnDemand("m", ""));
  EXPECT_FALSE(dispatcher_.LoadsOnDemand("m", "")) << "without a loader";
  std::vector<LoadOutcome> outcomes;
  for (int i = 0; i < 3; ++i) {
    dispatcher.AwaitLoad(
        {.model = "m", .version = "", .deadline_ns = 0, .cancel = nullptr, .done = [&](LoadOutcome&& outcome) {
           outcomes.push_back(std::move(outcome));
         }});
  }
  ASSERT_EQ(loader.demands.size(), 2u);
  EXPECT_EQ(inflight_.count(), 2);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].status.code(), StatusCode::kResourceExhausted);
  EXPECT_GT(outcomes[0].retry_after_ms, 0);
  const auto version = MakeVersion(1);
  loader.demands[0].done({.status = {}, .model = version, .retry_after_ms = 0});
  EXPECT_EQ(inflight_.count(), 1);
  EXPECT_EQ(outcomes[1].model, version);
  loader.demands.clear();
  EXPECT_EQ(inflight_.count(), 0) << "a demand that is dropped waits no more";
}

TEST_F(LocalDispatcherTest, UseIsNotedWhereVersionsMayHaveToGo) {
  FakeLoader loader;
  LocalDispatcher noting(publisher_, inflight_, clock_, &loader);
  const auto version = MakeVersion(1);
  Publish({Ready(version)});
  clock_.AdvanceMs(5'000);
  dispatcher_.Infer(nullptr, Request(), Record());
  EXPECT_EQ(version->used_ns(), 0);
  noting.Infer(nullptr, Request(), Record());
  EXPECT_NEAR(static_cast<double>(version->used_ns()), static_cast<double>(clock_.NowNs()), 2e6);
  held_.clear();
}

}  // namespace
}  // namespace inferd::core
