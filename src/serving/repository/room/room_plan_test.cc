#include "serving/repository/room/room_plan.h"

#include <gmock/gmock.h>

namespace inferd::repository {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using State = Resident::State;

constexpr ModelBudget kHundredBytes{.bytes_max = 100};
constexpr ModelBudget kTwoVersions{.versions_max = 2};

Resident Of(State state, int64_t bytes, int64_t used_ns = 0) {
  return {.state = state, .held = {.bytes = bytes}, .used_ns = used_ns};
}

RoomPlan Plan(const ModelBudget& budget, const std::vector<Resident>& residents, int64_t bytes) {
  return PlanRoom(budget, residents, {.bytes = bytes});
}

TEST(RoomPlanTest, WithoutABudgetEverythingFits) {
  EXPECT_TRUE(Plan({}, {Of(State::kKept, INT64_MAX / 2)}, INT64_MAX).fits);
}

TEST(RoomPlanTest, WhatThereIsRoomForIsLoaded) {
  EXPECT_TRUE(Plan(kHundredBytes, {}, 100).fits);
  EXPECT_TRUE(Plan(kHundredBytes, {Of(State::kIdle, 60)}, 40).fits);
  EXPECT_TRUE(Plan(kTwoVersions, {Of(State::kIdle, 60)}, 1'000).fits);
}

TEST(RoomPlanTest, TheLeastRecentlyUsedGoFirstAndNoMoreThanNeeded) {
  const std::vector<Resident> residents = {Of(State::kIdle, 30, 3), Of(State::kIdle, 30, 1), Of(State::kIdle, 30, 2)};
  const RoomPlan one = Plan(kHundredBytes, residents, 40);
  EXPECT_FALSE(one.fits);
  EXPECT_TRUE(one.refusal.ok());
  EXPECT_THAT(one.evict, ElementsAre(1));
  EXPECT_THAT(Plan(kHundredBytes, residents, 41).evict, ElementsAre(1, 2));
  EXPECT_THAT(Plan(kHundredBytes, residents, 100).evict, ElementsAre(1, 2, 0));
}

TEST(RoomPlanTest, WhatHasRequestsGoesAfterWhatHasNone) {
  EXPECT_THAT(Plan(kTwoVersions, {Of(State::kBusy, 1, 1), Of(State::kIdle, 1, 9)}, 1).evict, ElementsAre(1));
  EXPECT_THAT(Plan(kTwoVersions, {Of(State::kBusy, 1, 8), Of(State::kBusy, 1, 5)}, 1).evict, ElementsAre(1));
}

TEST(RoomPlanTest, WhatOthersNeedGoesAfterThem) {
  const std::vector<Resident> residents = {{.state = State::kIdle, .held = {.bytes = 40}, .used_ns = 5, .layer = 1},
                                           {.state = State::kIdle, .held = {.bytes = 30}, .used_ns = 5, .layer = 2},
                                           {.state = State::kIdle, .held = {.bytes = 30}, .used_ns = 5}};
  EXPECT_THAT(Plan(kHundredBytes, residents, 20).evict, ElementsAre(2));
  EXPECT_THAT(Plan(kHundredBytes, residents, 100).evict, ElementsAre(2, 0, 1));
}

TEST(RoomPlanTest, WhatLeavesIsWaitedFor) {
  const RoomPlan plan = Plan(kTwoVersions, {Of(State::kLeaving, 1), Of(State::kIdle, 1)}, 1);
  EXPECT_FALSE(plan.fits);
  EXPECT_THAT(plan.evict, IsEmpty());
  EXPECT_TRUE(plan.refusal.ok());
}

TEST(RoomPlanTest, NothingGoesInVain) {
  const RoomPlan plan = Plan(kHundredBytes, {Of(State::kLoading, 60), Of(State::kIdle, 40)}, 50);
  EXPECT_FALSE(plan.fits);
  EXPECT_THAT(plan.evict, IsEmpty());
  EXPECT_TRUE(plan.refusal.ok());
}

TEST(RoomPlanTest, WhatCanNeverFitIsRefusedWithFigures) {
  EXPECT_EQ(Plan(kHundredBytes, {Of(State::kIdle, 10)}, 101).refusal,
            base::ResourceExhausted("it needs 101 bytes, and the memory for models is 100 bytes"));
  EXPECT_EQ(
      Plan(kHundredBytes, {Of(State::kKept, 70), Of(State::kIdle, 10)}, 31).refusal,
      base::ResourceExhausted("it needs 31 bytes, and of the 100 bytes for models 70 are held by models that stay "
                              "loaded"));
  const RoomPlan plan = Plan(kTwoVersions, {Of(State::kKept, 1), Of(State::kKept, 1), Of(State::kLeaving, 1)}, 1);
  EXPECT_EQ(plan.refusal,
            base::ResourceExhausted("2 model versions may be loaded at a time, and 2 that stay loaded are"));
  EXPECT_THAT(plan.evict, IsEmpty());
}

TEST(RoomPlanTest, BothBudgetsHold) {
  const ModelBudget both{.bytes_max = 100, .versions_max = 2};
  const std::vector<Resident> residents = {Of(State::kIdle, 10, 1), Of(State::kIdle, 60, 2)};
  EXPECT_THAT(Plan(both, residents, 20).evict, ElementsAre(0));
  EXPECT_THAT(Plan(both, residents, 50).evict, ElementsAre(0, 1));
}

constexpr ModelBudget kHundredOfEachGpu{.gpu_bytes_max = 100};

Resident On(State state, config::GpuBytes gpus, int64_t used_ns = 0) {
  return {.state = state, .held = {.bytes = 1, .gpus = std::move(gpus)}, .used_ns = used_ns};
}

RoomPlan PlanOn(const std::vector<Resident>& residents, config::GpuBytes needed) {
  return PlanRoom(kHundredOfEachGpu, residents, {.bytes = 1'000, .gpus = std::move(needed)});
}

TEST(RoomPlanTest, EachGpuHasTheBudget) {
  EXPECT_TRUE(PlanOn({}, {{0, 100}, {1, 100}}).fits);
  EXPECT_TRUE(PlanOn({On(State::kIdle, {{0, 100}})}, {{1, 100}}).fits);
  EXPECT_FALSE(PlanOn({On(State::kIdle, {{0, 100}})}, {{0, 1}, {1, 1}}).fits);
  EXPECT_TRUE(PlanOn({On(State::kIdle, {{0, 100}})}, {}).fits) << "it is on the CPU";
  EXPECT_TRUE(HasRoom(kHundredOfEachGpu, {.bytes = 9, .gpus = {{0, 60}}}, 5, {.gpus = {{0, 40}}}));
  EXPECT_FALSE(HasRoom(kHundredOfEachGpu, {.bytes = 9, .gpus = {{0, 60}}}, 5, {.gpus = {{0, 41}}}));
}

TEST(RoomPlanTest, OnlyWhatIsOnTheGpuMakesRoomThere) {
  const std::vector<Resident> residents = {On(State::kIdle, {}, 1), On(State::kIdle, {{1, 90}}, 2),
                                           On(State::kIdle, {{0, 50}}, 4), On(State::kIdle, {{0, 50}, {1, 10}}, 3)};
  EXPECT_THAT(PlanOn(residents, {{0, 30}}).evict, ElementsAre(3));
  EXPECT_THAT(PlanOn(residents, {{0, 60}}).evict, ElementsAre(3, 2));
  EXPECT_THAT(PlanOn(residents, {{0, 30}, {1, 30}}).evict, ElementsAre(1, 3));
}

TEST(RoomPlanTest, WhatCanNeverFitOnAGpuIsRefusedWithFigures) {
  EXPECT_EQ(PlanOn({}, {{0, 1}, {1, 101}}).refusal,
            base::ResourceExhausted("it needs 101 bytes of GPU 1, and the memory for models there is 100 bytes"));
  const std::vector<Resident> residents = {On(State::kKept, {{2, 70}}), On(State::kIdle, {{2, 30}})};
  EXPECT_EQ(PlanOn(residents, {{2, 31}}).refusal,
            base::ResourceExhausted("it needs 31 bytes of GPU 2, and of the 100 bytes for models there 70 are held by "
                                    "models that stay loaded"));
  EXPECT_THAT(PlanOn(residents, {{2, 31}}).evict, IsEmpty());
}

}  // namespace
}  // namespace inferd::repository
