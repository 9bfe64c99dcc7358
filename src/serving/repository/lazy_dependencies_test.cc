#include <gmock/gmock.h>

#include <thread>

#include "serving/repository/dependency_fixture.h"

namespace inferd::repository {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Answer = std::future<core::LoadOutcome>;

// Models that depend on each other, and are loaded when requests need them. The test moves the clock.
class LazyDependencyTest : public DependencyTest {
 protected:
  LazyDependencyTest() {
    manager_clock_ = &now_;
    options_.lazy.enabled = true;
  }
  Answer Demand(const std::string& model) {
    auto promise = std::make_shared<std::promise<core::LoadOutcome>>();
    Answer answer = promise->get_future();
    manager_->Demand({.model = model,
                      .version = "",
                      .deadline_ns = 0,
                      .cancel = cancel_,
                      .done = [promise](core::LoadOutcome&& outcome) { promise->set_value(std::move(outcome)); }});
    return answer;
  }
  // Uses the model a moment after its last use.
  base::Status Use(const std::string& model) {
    now_.AdvanceMs(10);
    base::Status status = Demand(model).get().status;
    if (Pinned used = Pin(model); used != nullptr) {
      std::static_pointer_cast<const core::ModelVersion>(used)->NoteUse(now_.NowNs());
    }
    manager_->WaitIdle();
    return status;
  }
  // Waits until all earlier demands are taken in.
  void TakeIn() { EXPECT_EQ(Demand("nobody").get().status.code(), base::StatusCode::kNotFound); }

  std::shared_ptr<core::CancelFlag> cancel_;  // of the demands
};

using LazyRoomTest = LazyDependencyTest;

TEST_F(LazyDependencyTest, ADemandIsOneForWhatTheModelDependsOn) {
  Add("top", "middle");
  Add("middle", "base");
  Add("base");
  Start();
  EXPECT_EQ(engine_.loads(), 0);
  EXPECT_TRUE(manager_->ServerReady());
  EXPECT_TRUE(Use("top").ok());
  EXPECT_THAT(TakeLoads(), ElementsAre("base", "middle", "top"));
}

TEST_F(LazyDependencyTest, APinnedModelHasWhatItDependsOnLoaded) {
  Add("top");
  dir_.Write("top/config.pbtxt", "inferd { pinned: true depends_on { model: 'base' } }");
  Add("base");
  Start();
  EXPECT_THAT(TakeLoads(), ElementsAre("base", "top"));
}

TEST_F(LazyDependencyTest, ADemandIsToldWhatIsMissingAndTriesItAgain) {
  Add("top", "base");
  Add("base");
  Fail("base", "bad magic");
  Start();
  EXPECT_THAT(Use("top").message(), HasSubstr("depends on model 'base', which is not loaded: bad magic"));
  EXPECT_THAT(TakeLoads(), ElementsAre("base"));
  EXPECT_THAT(Use("top").message(), HasSubstr("bad magic")) << "it failed just now";
  EXPECT_TRUE(TakeLoads().empty());
  Add("base");
  now_.AdvanceMs(2000);
  EXPECT_TRUE(Use("top").ok());
  EXPECT_THAT(TakeLoads(), ElementsAre("base", "top"));
}

TEST_F(LazyDependencyTest, ADemandThatIsGivenUpLetsGo) {
  Add("top", "base");
  Add("base");
  auto release = Hold("base");
  Start();
  cancel_ = std::make_shared<core::CancelFlag>();
  Answer answer = Demand("top");
  TakeIn();
  EXPECT_THAT(IndexText(), HasSubstr("top:1:LOADING:waits for model 'base'"));
  cancel_->Cancel();
  manager_->ExpireDemands();
  EXPECT_EQ(answer.get().status.code(), base::StatusCode::kCancelled);
  release.set_value();
  manager_->WaitIdle();
  EXPECT_THAT(TakeLoads(), ElementsAre("base"));
  EXPECT_THAT(IndexText(), HasSubstr("top:1:UNAVAILABLE:not loaded: waits for a request"));
}

TEST_F(LazyRoomTest, WhatALoadedModelDependsOnGoesAfterIt) {
  options_.lazy.budget.versions_max = 2;
  Add("top", "base");
  Add("base");
  Add("x");
  Add("y");
  Start();
  EXPECT_TRUE(Use("top").ok());
  EXPECT_TRUE(Use("x").ok());
  EXPECT_FALSE(Ready("top"));
  EXPECT_TRUE(Ready("base"));
  EXPECT_TRUE(Use("y").ok());
  EXPECT_FALSE(Ready("base"));
  EXPECT_THAT(TakeLoads(), ElementsAre("base", "top", "x", "y"));
}

TEST_F(LazyRoomTest, BothGoWhereBothAreInTheWay) {
  options_.lazy.budget.bytes_max = 100;
  Add("top", "base");
  Add("base");
  Add("large");
  AddVersion("large", 1, std::string(100, 'x'));
  Start();
  EXPECT_TRUE(Use("top").ok());
  EXPECT_TRUE(Use("large").ok());
  EXPECT_FALSE(Ready("top"));
  EXPECT_FALSE(Ready("base"));
}

TEST_F(LazyRoomTest, WhatALoadNeedsIsNotUnloadedForIt) {
  options_.lazy.budget.versions_max = 3;
  Add("top", "a b");
  Add("a");
  Add("b");
  Add("x");
  Start();
  EXPECT_TRUE(Use("a").ok());
  EXPECT_TRUE(Use("x").ok());
  EXPECT_TRUE(Use("x").ok()) << "it was used last";
  EXPECT_TRUE(Use("top").ok());
  EXPECT_THAT(TakeLoads(), ElementsAre("a", "x", "b", "top"));
  EXPECT_FALSE(Ready("x"));
}

TEST_F(LazyRoomTest, WhatDoesNotFitTogetherIsRefused) {
  options_.lazy.budget.versions_max = 2;
  Add("top", "a b c");
  Add("a");
  Add("b");
  Add("c");
  Add("pair", "a b");
  Start();
  EXPECT_THAT(Use("top").message(), HasSubstr("depends on model 'c', which is not loaded: 2 model versions may be "
                                              "loaded at a time, and 2 that stay loaded are"));
  EXPECT_THAT(Use("pair").message(), HasSubstr("2 model versions may be loaded at a time"));
  EXPECT_TRUE(Use("a").ok());
  EXPECT_TRUE(Use("c").ok());
}

TEST_F(LazyRoomTest, ABusyModelsDependencyIsBusy) {
  options_.lazy.budget.versions_max = 3;
  Add("top", "base");
  Add("base");
  Add("x");
  Add("y");
  Start();
  EXPECT_TRUE(Use("top").ok());
  Pinned request = Pin("top");
  EXPECT_TRUE(Use("x").ok());
  EXPECT_TRUE(Use("y").ok());
  EXPECT_FALSE(Ready("x"));
  EXPECT_TRUE(Ready("top"));
  EXPECT_TRUE(Ready("base"));
}

}  // namespace
}  // namespace inferd::repository
