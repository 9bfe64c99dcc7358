#include "serving/repository/records/load_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::repository {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr VersionView kServing{.version = 1, .wanted = true, .ready = true, .current = true};
constexpr VersionView kOld{.version = 1, .ready = true};

TEST(LoadPlanTest, NothingToDo) {
  const VersionView views[] = {kServing};
  EXPECT_THAT(PlanModel(views, false).load, IsEmpty());
  EXPECT_THAT(PlanModel(views, false).unload, IsEmpty());
}

TEST(LoadPlanTest, ANewVersionLoadsBesideTheOld) {
  const VersionView views[] = {kOld, {.version = 2, .wanted = true}};
  EXPECT_THAT(PlanModel(views, false).load, ElementsAre(2));
  EXPECT_THAT(PlanModel(views, false).unload, IsEmpty());
}

TEST(LoadPlanTest, TheOldStaysWhileTheNewLoads) {
  const VersionView views[] = {kOld, {.version = 2, .wanted = true, .loading = true}};
  EXPECT_THAT(PlanModel(views, false).load, IsEmpty());
  EXPECT_THAT(PlanModel(views, false).unload, IsEmpty());
}

TEST(LoadPlanTest, TheOldGoesWhenTheNewServes) {
  const VersionView views[] = {kOld, {.version = 2, .wanted = true, .ready = true, .current = true}};
  EXPECT_THAT(PlanModel(views, false).unload, ElementsAre(1));
}

TEST(LoadPlanTest, TheOldServesOnWhenTheNewFails) {
  const VersionView views[] = {kOld, {.version = 2, .wanted = true, .failed_same = true}};
  EXPECT_THAT(PlanModel(views, false).load, IsEmpty());
  EXPECT_THAT(PlanModel(views, false).unload, IsEmpty());
}

TEST(LoadPlanTest, OneOfSeveralIsEnoughToLetTheOldGo) {
  const VersionView views[] = {kOld,
                               {.version = 2, .wanted = true, .ready = true, .current = true},
                               {.version = 3, .wanted = true, .failed_same = true}};
  EXPECT_THAT(PlanModel(views, false).unload, ElementsAre(1));
}

TEST(LoadPlanTest, AChangedVersionLoadsAgain) {
  const VersionView views[] = {{.version = 1, .wanted = true, .ready = true}};
  EXPECT_THAT(PlanModel(views, false).load, ElementsAre(1));
}

TEST(LoadPlanTest, AChangedVersionThatFailedIsNotTriedAgain) {
  const VersionView views[] = {{.version = 1, .wanted = true, .ready = true, .failed_same = true}};
  EXPECT_THAT(PlanModel(views, false).load, IsEmpty());
  EXPECT_THAT(PlanModel(views, false).unload, IsEmpty());
}

TEST(LoadPlanTest, NothingWantedNothingKept) {
  const VersionView views[] = {kOld, {.version = 2, .loading = true}};
  EXPECT_THAT(PlanModel(views, false).unload, ElementsAre(1));
}

TEST(LoadPlanTest, WhatIsAsleepIsNotLoadedAndKeepsNothing) {
  const VersionView views[] = {kOld,
                               {.version = 2, .wanted = true, .ready = true, .current = true},
                               {.version = 3, .wanted = true, .asleep = true}};
  EXPECT_THAT(PlanModel(views, false).load, IsEmpty());
  EXPECT_THAT(PlanModel(views, false).unload, ElementsAre(1));
}

TEST(LoadPlanTest, NothingGoesWhileTheFolderIsWritten) {
  const VersionView views[] = {kOld};
  EXPECT_THAT(PlanModel(views, true).unload, IsEmpty());
}

LoadPlan PlanForResource(std::vector<VersionView> views, bool changing = false) {
  return PlanModel(views, changing, config::VersionTransition::kResource);
}

TEST(ResourcePlanTest, TheOldGoesBeforeTheNewIsLoaded) {
  const LoadPlan plan = PlanForResource({kOld, {.version = 2, .wanted = true}});
  EXPECT_THAT(plan.load, IsEmpty());
  EXPECT_THAT(plan.unload, ElementsAre(1));
  EXPECT_THAT(plan.wait, ElementsAre(2));
}

TEST(ResourcePlanTest, TheNewWaitsUntilTheOldIsGone) {
  const LoadPlan waits = PlanForResource({{.version = 1, .leaving = true}, {.version = 2, .wanted = true}});
  EXPECT_THAT(waits.load, IsEmpty());
  EXPECT_THAT(waits.wait, ElementsAre(2));
  EXPECT_THAT(PlanForResource({{.version = 1, .loading = true}, {.version = 2, .wanted = true}}).wait, ElementsAre(2));
  const LoadPlan gone = PlanForResource({{.version = 1}, {.version = 2, .wanted = true}});
  EXPECT_THAT(gone.load, ElementsAre(2));
  EXPECT_THAT(gone.wait, IsEmpty());
}

TEST(ResourcePlanTest, AChangedVersionGoesBeforeItIsLoadedAgain) {
  const LoadPlan plan = PlanForResource({{.version = 1, .wanted = true, .ready = true}});
  EXPECT_THAT(plan.load, IsEmpty());
  EXPECT_THAT(plan.unload, ElementsAre(1));
  EXPECT_THAT(plan.wait, ElementsAre(1));
  EXPECT_THAT(PlanForResource({{.version = 1, .wanted = true, .leaving = true}}).wait, ElementsAre(1));
  EXPECT_THAT(PlanForResource({{.version = 1, .wanted = true}}).load, ElementsAre(1));
}

TEST(ResourcePlanTest, WhatStaysIsLeftAlone) {
  const LoadPlan plan = PlanForResource({kServing, {.version = 2, .wanted = true}});
  EXPECT_THAT(plan.unload, IsEmpty());
  EXPECT_THAT(plan.load, ElementsAre(2)) << "nothing is replaced";
}

TEST(ResourcePlanTest, WhatFailedIsNotTriedAgainAndBringsNothingBack) {
  const LoadPlan plan = PlanForResource({{.version = 1}, {.version = 2, .wanted = true, .failed_same = true}});
  EXPECT_THAT(plan.load, IsEmpty());
  EXPECT_THAT(plan.unload, IsEmpty());
  EXPECT_THAT(plan.wait, IsEmpty());
}

TEST(ResourcePlanTest, WhileTheFolderIsWrittenTheOldStays) {
  const LoadPlan plan = PlanForResource({kOld, {.version = 2, .wanted = true}}, true);
  EXPECT_THAT(plan.unload, IsEmpty());
  EXPECT_THAT(plan.load, IsEmpty());
  EXPECT_THAT(plan.wait, ElementsAre(2));
}

TEST(ResourcePlanTest, WhatIsAsleepIsNotLoaded) {
  const LoadPlan plan = PlanForResource({kOld, {.version = 2, .wanted = true, .asleep = true}});
  EXPECT_THAT(plan.unload, ElementsAre(1));
  EXPECT_THAT(plan.wait, IsEmpty());
}

constexpr auto kTransitions = {config::VersionTransition::kAvailability, config::VersionTransition::kResource};

TEST(LoadPlanTest, WhatDependsOnOthersIsLoadedWhenTheyAreReady) {
  for (const auto transition : kTransitions) {
    const auto plan = [transition](NeedState needs) {
      const VersionView views[] = {{.version = 1, .wanted = true, .needs = needs}};
      return PlanModel(views, false, transition);
    };
    EXPECT_THAT(plan(NeedState::kMet).load, ElementsAre(1));
    EXPECT_THAT(plan(NeedState::kComing).load, IsEmpty());
    EXPECT_THAT(plan(NeedState::kComing).depend, ElementsAre(1));
    EXPECT_THAT(plan(NeedState::kMissing).load, IsEmpty());
    EXPECT_THAT(plan(NeedState::kMissing).refuse, ElementsAre(1));
  }
}

TEST(LoadPlanTest, WhatSleepsWaitsForNothing) {
  const VersionView views[] = {{.version = 1, .wanted = true, .asleep = true, .needs = NeedState::kMissing}};
  EXPECT_THAT(PlanModel(views, false).refuse, IsEmpty());
}

TEST(LoadPlanTest, NothingIsReplacedBeforeWhatReplacesItMayLoad) {
  for (const auto transition : kTransitions) {
    for (const NeedState needs : {NeedState::kComing, NeedState::kMissing}) {
      const VersionView changed[] = {{.version = 1, .wanted = true, .ready = true, .needs = needs}};
      EXPECT_THAT(PlanModel(changed, false, transition).unload, IsEmpty());
      EXPECT_THAT(PlanModel(changed, false, transition).wait, IsEmpty());
    }
  }
  const VersionView views[] = {kOld, {.version = 2, .wanted = true, .needs = NeedState::kMissing}};
  EXPECT_THAT(PlanModel(views, false).unload, IsEmpty());
}

TEST(LoadPlanTest, WhatItsDependenciesForsakeGoesAtOnce) {
  for (const auto transition : kTransitions) {
    for (const bool changing : {false, true}) {
      const VersionView views[] = {{.version = 1, .ready = true, .forsaken = true},
                                   {.version = 2,
                                    .wanted = true,
                                    .ready = true,
                                    .current = true,
                                    .needs = NeedState::kMissing,
                                    .forsaken = true}};
      const LoadPlan plan = PlanModel(views, changing, transition);
      EXPECT_THAT(plan.unload, ElementsAre(1, 2));
      EXPECT_THAT(plan.refuse, ElementsAre(2));
      EXPECT_THAT(plan.load, IsEmpty());
    }
  }
}

}  // namespace
}  // namespace inferd::repository
