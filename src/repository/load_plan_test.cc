#include "repository/load_plan.h"

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

}  // namespace
}  // namespace inferd::repository
