#include "serving/repository/room/room_keeper.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "serving/core/held_versions_fixture.h"

namespace inferd::repository {
namespace {

class RoomKeeperTest : public core::HeldVersionsTest {
 protected:
  // Adds a model whose version 1 waits for room.
  ModelRecord& Queue(const std::string& model, int64_t bytes) {
    ModelRecord& record = records_.Add(model);
    record.on_demand = true;
    record.wanted[1].held.bytes = bytes;
    record.versions[1].QueueForRoom();
    keeper_.Queue({model, 1});
    return record;
  }
  void Load(ModelRecord& record, int64_t used_s) {
    VersionHarness& harness = records_.Change(record.name)->versions[1];
    ASSERT_TRUE(harness.BeginLoad({}, record.wanted[1].held));
    auto version = MakeVersion(1);
    version->NoteUse(used_s * 1'000'000'000);
    std::ignore = harness.Serve(std::move(version));
  }

  ModelRecords records_{{}};
  RoomKeeper keeper_{{.bytes_max = 100, .versions_max = 0}};
};

TEST_F(RoomKeeperTest, NothingWaits) { EXPECT_FALSE(keeper_.Next(records_).has_value()); }

TEST_F(RoomKeeperTest, WhatFitsIsLoadedInTheOrderInWhichItCame) {
  ModelRecord& second = Queue("b", 60);
  ModelRecord& first = Queue("a", 40);
  auto step = keeper_.Next(records_);
  EXPECT_TRUE(step->fits);
  EXPECT_EQ(step->id, (core::ModelId{"b", 1}));
  Load(second, 1);
  step = keeper_.Next(records_);
  EXPECT_TRUE(step->fits);
  EXPECT_EQ(step->id, (core::ModelId{"a", 1}));
  Load(first, 2);
  EXPECT_FALSE(keeper_.Next(records_).has_value());
}

TEST_F(RoomKeeperTest, WhatWaitsNoMoreIsPassedOver) {
  Queue("a", 40).versions[1].LeaveQueue();
  Queue("b", 40);
  EXPECT_EQ(keeper_.Next(records_)->id.name, "b");
}

TEST_F(RoomKeeperTest, TheLeastRecentlyUsedGoesAndTheNextWaitsOn) {
  for (const auto& [name, used_s] : {std::pair("a", 2), std::pair("b", 1)}) {
    ModelRecord& record = Queue(name, 50);
    ASSERT_TRUE(keeper_.Next(records_)->fits);
    Load(record, used_s);
  }
  ModelRecord& next = Queue("c", 30);
  auto step = keeper_.Next(records_);
  EXPECT_FALSE(step->fits);
  EXPECT_TRUE(step->refusal.ok());
  ASSERT_EQ(step->evict.size(), 1u);
  EXPECT_EQ(step->evict[0], (core::ModelId{"b", 1}));
  VersionHarness& victim = records_.Change("b")->versions[1];
  victim.EndServing().reset();
  step = keeper_.Next(records_);
  EXPECT_FALSE(step->fits) << "it is not gone yet";
  EXPECT_TRUE(step->evict.empty());
  EXPECT_TRUE(victim.LoadGone());
  records_.Change("b");
  step = keeper_.Next(records_);
  EXPECT_TRUE(step->fits);
  Load(next, 3);
  EXPECT_FALSE(keeper_.Next(records_).has_value());
}

// A loaded model that others need.
TEST_F(RoomKeeperTest, WhatIsNeededIsUsedWheneverWhatNeedsItIs) {
  for (const auto& [name, used_s] : {std::pair("base", 1), std::pair("other", 2), std::pair("top", 3)}) {
    ModelRecord& record = Queue(name, 30);
    ASSERT_TRUE(keeper_.Next(records_)->fits);
    Load(record, used_s);
  }
  records_.dependencies().Set("top", {"base"});
  Queue("next", 30);
  auto step = keeper_.Next(records_);
  ASSERT_EQ(step->evict.size(), 1u);
  EXPECT_EQ(step->evict[0].name, "other");
  records_.Change("next")->wanted[1].held.bytes = 70;
  step = keeper_.Next(records_);
  ASSERT_EQ(step->evict.size(), 2u);
  EXPECT_EQ(step->evict[1].name, "top");
  records_.Change("top")->on_demand = false;
  records_.Change("next")->wanted[1].held.bytes = 80;
  EXPECT_EQ(keeper_.Next(records_)->refusal.code(), base::StatusCode::kResourceExhausted) << "it stays, and so do both";
}

TEST_F(RoomKeeperTest, WhatALoadNeedsStaysForIt) {
  for (const char* name : {"base", "other"}) {
    ModelRecord& record = Queue(name, 40);
    ASSERT_TRUE(keeper_.Next(records_)->fits);
    Load(record, name[0] == 'b' ? 1 : 2);
  }
  records_.dependencies().Set("top", {"base", "second"});
  records_.Add("top").versions[1].WaitForDependencies("waits");
  Queue("second", 40);
  const auto step = keeper_.Next(records_);
  ASSERT_EQ(step->evict.size(), 1u);
  EXPECT_EQ(step->evict[0].name, "other") << "what waits for this one needs the base too";
}

TEST_F(RoomKeeperTest, WhatNeverFitsIsRefusedAndTheNextHasItsTurn) {
  Queue("large", 101);
  Queue("small", 1);
  const auto step = keeper_.Next(records_);
  EXPECT_EQ(step->refusal.code(), base::StatusCode::kResourceExhausted);
  EXPECT_TRUE(keeper_.Next(records_)->fits);
}

}  // namespace
}  // namespace inferd::repository
