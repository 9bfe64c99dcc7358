#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "serving/repository/manager_fixture.h"

namespace inferd::repository {
namespace {

using ::testing::Each;
using ::testing::SizeIs;

// With --version-transition=resource.
class ManagerTransitionTest : public ManagerTest {
 protected:
  ManagerTransitionTest() { options_.version_transition = config::VersionTransition::kResource; }

  // Notes the number of loads whenever a version of the model is about to be loaded.
  void CountBeforeLoads(const std::string& model) {
    engine_.SetScript(model, {.signature = FakeEngine::DefaultSignature(),
                              .on_load =
                                  [this](const core::LoadSpec&) {
                                    before_loads_.push_back(engine_.alive());
                                    return base::OkStatus();
                                  },
                              .on_execute = {}});
  }

  std::vector<int> before_loads_;
};

TEST_F(ManagerTransitionTest, TwoVersionsAreNeverLoadedAtOnce) {
  CountBeforeLoads("m");
  AddVersion("m", 1);
  Start();
  AddVersion("m", 2);
  Look();
  EXPECT_EQ(Infer("m").value(), "2");
  AddVersion("m", 2, "changed");
  Look();
  EXPECT_EQ(Infer("m").value(), "2");
  EXPECT_EQ(IndexText(), "m:1:UNAVAILABLE:unloaded|m:2:READY:|");
  EXPECT_THAT(before_loads_, SizeIs(3));
  EXPECT_THAT(before_loads_, Each(0));
}

TEST_F(ManagerTransitionTest, TheNewWaitsForRequestsOfTheOld) {
  AddVersion("m", 1);
  Start();
  auto pinned = snapshots_.Current()->Find("m", "").value();
  AddVersion("m", 2);
  manager_->LookNow();
  EXPECT_EQ(IndexText(), "m:1:UNLOADING:unloading|m:2:LOADING:waits for what it replaces to be gone|");
  EXPECT_EQ(Infer("m").error().code(), base::StatusCode::kUnavailable);
  EXPECT_EQ(engine_.loads(), 1);
  pinned.reset();
  manager_->WaitIdle();
  EXPECT_EQ(IndexText(), "m:1:UNAVAILABLE:unloaded|m:2:READY:|");
}

TEST_F(ManagerTransitionTest, WhatFailsBringsNothingBack) {
  AddVersion("m", 1);
  Start();
  FailLoadsOf("m", "bad magic");
  AddVersion("m", 2);
  Look();
  EXPECT_EQ(IndexText(), "m:1:UNAVAILABLE:unloaded|m:2:UNAVAILABLE:bad magic|");
  EXPECT_EQ(engine_.alive(), 0);
  engine_.SetScript("m", {});
  dir_.Remove("m/2");
  Look();
  EXPECT_EQ(Infer("m").value(), "1") << "it is wanted again";
}

TEST_F(ManagerTransitionTest, ALoadCallIsAnsweredWhenTheNewServes) {
  options_.control = config::ControlMode::kExplicit;
  AddVersion("m", 1);
  Start();
  ASSERT_TRUE(Load("m").ok());
  CountBeforeLoads("m");
  AddVersion("m", 2);
  ASSERT_TRUE(Load("m").ok());
  EXPECT_EQ(Infer("m").value(), "2");
  EXPECT_THAT(before_loads_, ::testing::ElementsAre(0));
  FailLoadsOf("m", "bad magic");
  AddVersion("m", 3);
  EXPECT_THAT(Load("m").message(), ::testing::HasSubstr("bad magic"));
}

TEST_F(ManagerTransitionTest, AModelSaysItself) {
  options_.version_transition = config::VersionTransition::kAvailability;
  dir_.Write("m/config.pbtxt", "inferd { version_transition: RESOURCE }");
  AddVersion("m", 1);
  AddVersion("n", 1);
  Start();
  CountBeforeLoads("m");
  CountBeforeLoads("n");
  AddVersion("m", 2);
  Look();
  EXPECT_THAT(before_loads_, ::testing::ElementsAre(1)) << "n's, and not m's";
  AddVersion("n", 2);
  Look();
  EXPECT_THAT(before_loads_, ::testing::ElementsAre(1, 2));
}

TEST_F(ManagerTransitionTest, WhatReplacesALoadedVersionDoesNotWaitForRequests) {
  options_.lazy.enabled = true;
  AddVersion("m", 1);
  Start();
  ASSERT_TRUE(Load("m").ok());
  AddVersion("m", 2);
  Look();
  EXPECT_EQ(IndexText(), "m:1:UNAVAILABLE:unloaded|m:2:READY:|");
}

}  // namespace
}  // namespace inferd::repository
