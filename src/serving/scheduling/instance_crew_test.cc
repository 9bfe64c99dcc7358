#include "serving/scheduling/instance_crew.h"

#include <gtest/gtest.h>

#include <atomic>

#include "serving/scheduling/held_threads.h"

namespace inferd::scheduling {
namespace {

class InstanceCrewTest : public ::testing::Test {
 protected:
  InstanceCrew Make(size_t instances, bool threads = false, InstanceCrew::Main main = {}, int unfinished_max = 1) {
    auto places = PlaceInstances({}, 1, instances, policies_, arbiter_);
    return InstanceCrew(std::vector<std::unique_ptr<core::EngineInstance>>(instances), *std::move(places),
                        {.unfinished_max = unfinished_max}, threads, clock_, std::move(main));
  }

  base::FakeClock clock_;
  const HostPolicies policies_;
  ResourceArbiter arbiter_;
};

TEST_F(InstanceCrewTest, TheOneIdleForTheShortestTimeIsNext) {
  InstanceCrew crew = Make(3);
  EXPECT_EQ(crew.idle(), 3U);
  InstanceWorker& third = crew.TakeIdle();
  InstanceWorker& second = crew.TakeIdle();
  EXPECT_EQ(third.ordinal, 2);
  crew.MakeIdle(third);
  crew.MakeIdle(second);
  EXPECT_EQ(&crew.NextIdle(), &second);
  EXPECT_TRUE(crew.TakeIdle(second));
  EXPECT_FALSE(crew.TakeIdle(second)) << "it is not idle any more";
  EXPECT_EQ(&crew.NextIdle(), &third);
}

TEST_F(InstanceCrewTest, ThoseWithUnfinishedExecutionsComeLast) {
  InstanceCrew crew = Make(2, false, {}, 3);
  InstanceWorker& worker = crew.TakeIdle();
  EXPECT_EQ(worker.unfinished_max, 3);
  worker.unfinished = 1;
  crew.MakeIdle(worker);
  EXPECT_NE(&crew.NextIdle(), &worker);
  crew.TakeIdle();
  EXPECT_EQ(&crew.NextIdle(), &worker);
}

TEST_F(InstanceCrewTest, EachIsWarmedUpAsOftenAsAnyOther) {
  InstanceCrew crew = Make(2);
  for (const int ordinal : {0, 1, 0, 1}) EXPECT_EQ(crew.NextToWarmUp().ordinal, ordinal);
}

TEST_F(InstanceCrewTest, CountsThoseThatHaveNotLookedYet) {
  InstanceCrew crew = Make(2);
  EXPECT_EQ(crew.FindSignalled(), nullptr);
  InstanceWorker& worker = crew.TakeIdle();
  EXPECT_TRUE(crew.Wake(worker));
  EXPECT_EQ(crew.woken(), 1);
  EXPECT_EQ(crew.FindSignalled(), &worker);
  crew.Looks();
  EXPECT_EQ(crew.woken(), 0);
}

TEST_F(InstanceCrewTest, WhatIsHandedOverIsNotCountedAsALook) {
  InstanceCrew crew = Make(1);
  InstanceWorker& worker = crew.TakeIdle();
  FormedBatch batch;
  batch.record.rows = 3;
  EXPECT_TRUE(crew.HandOver(worker, batch));
  EXPECT_EQ(worker.handed_over.record.rows, 3);
  EXPECT_EQ(crew.FindSignalled(), &worker);
  EXPECT_EQ(crew.woken(), 0);
}

TEST_F(InstanceCrewTest, WhatIsPutOffIsTakenOnceOrHandedOverInTime) {
  InstanceCrew crew = Make(2);
  InstanceWorker& taken = crew.TakeIdle();
  InstanceWorker& left = crew.TakeIdle();
  FormedBatch batch;
  batch.execution = reinterpret_cast<BatchExecution*>(&batch);  // the crew does not access it
  crew.PutOff(taken, batch);
  clock_.AdvanceNs(1);
  crew.PutOff(left, batch);
  EXPECT_EQ(crew.due_ns(), clock_.NowNs() - 1 + HeldThreads::kHeldNs);
  EXPECT_EQ(crew.TakePutOff(taken).execution, batch.execution);
  EXPECT_EQ(crew.TakePutOff(taken).execution, nullptr);
  clock_.AdvanceNs(HeldThreads::kHeldNs - 1);
  crew.OnTime(clock_.NowNs());
  EXPECT_EQ(crew.FindSignalled(), nullptr);
  EXPECT_GT(crew.due_ns(), clock_.NowNs());
  clock_.AdvanceNs(crew.due_ns() - clock_.NowNs());
  crew.OnTime(clock_.NowNs());
  EXPECT_EQ(crew.FindSignalled(), &left);
  EXPECT_EQ(left.handed_over.execution, batch.execution);
  EXPECT_EQ(crew.TakePutOff(left).execution, nullptr);
  EXPECT_EQ(crew.due_ns(), 0);
}

TEST_F(InstanceCrewTest, AThreadIsStartedWhenItIsNeededAndOnce) {
  std::atomic<int> started = 0;
  InstanceCrew crew = Make(2, true, [&started](InstanceWorker&) { ++started; });
  InstanceWorker& worker = crew.TakeIdle();
  EXPECT_TRUE(crew.Wake(worker));
  EXPECT_TRUE(crew.HandOver(worker, {}));
  crew.EndAll();
  crew.JoinAll();
  EXPECT_EQ(started, 1);
  EXPECT_FALSE(crew.LacksThreads(clock_.NowNs()));
  EXPECT_EQ(crew.due_ns(), 0);
}

}  // namespace
}  // namespace inferd::scheduling
