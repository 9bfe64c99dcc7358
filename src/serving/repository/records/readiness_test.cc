#include "serving/repository/records/readiness.h"

#include <gtest/gtest.h>

#include <string>

namespace inferd::repository {
namespace {

using Mode = config::ReadinessMode;

// The initial set has two models; 'named' is the model named for readiness.
class ReadinessTest : public ::testing::Test {
 protected:
  ReadinessTest() {
    for (const char* name : {"a", "named"}) {
      records_.Expect(name);
      ModelRecord& record = records_.Add(name);
      record.wanted[1] = {};
      record.versions[1].QueueForRoom();
      EXPECT_TRUE(record.versions[1].BeginLoad({}, {.bytes = 1}));
    }
  }
  void Fail(const std::string& name) { records_.Change(name)->versions[1].FailLoad(base::InvalidArgument("bad"), 1); }
  // Makes the model available: requests load it on demand.
  void Offer(const std::string& name) {
    ModelRecord& record = *records_.Change(name);
    record.versions[1].DiscardLoad();
    record.on_demand = true;
  }
  bool Ready(Mode mode) {
    records_.Settle();
    Readiness readiness(mode);
    readiness.Update(records_);
    return readiness.seen();
  }
  ModelRecords records_{{"named"}};
};

TEST_F(ReadinessTest, EachModeAsksForItsPart) {
  EXPECT_TRUE(Ready(Mode::kServer));
  for (const Mode mode : {Mode::kNamed, Mode::kAny, Mode::kTried, Mode::kAll}) EXPECT_FALSE(Ready(mode));
  Offer("a");
  EXPECT_TRUE(Ready(Mode::kAny));
  EXPECT_FALSE(Ready(Mode::kTried));
  Fail("named");
  EXPECT_TRUE(Ready(Mode::kTried));
  EXPECT_FALSE(Ready(Mode::kAll));
  EXPECT_FALSE(Ready(Mode::kNamed));
}

TEST_F(ReadinessTest, WhatIsNamedIsEnoughForThatMode) {
  Offer("named");
  EXPECT_TRUE(Ready(Mode::kNamed));
  EXPECT_FALSE(Ready(Mode::kAll));
  Offer("a");
  EXPECT_TRUE(Ready(Mode::kAll));
}

TEST_F(ReadinessTest, OnceReachedItStays) {
  Readiness readiness(Mode::kAny);
  Offer("a");
  records_.Settle();
  readiness.Update(records_);
  records_.Change("a")->on_demand = false;
  records_.Settle();
  readiness.Update(records_);
  EXPECT_TRUE(readiness.seen());
}

TEST_F(ReadinessTest, EveryModelCountsForThatMode) {
  Readiness readiness(Mode::kEvery);
  const auto ready = [&] {
    records_.Settle();
    readiness.Update(records_);
    return readiness.seen();
  };
  EXPECT_FALSE(ready());
  Offer("a");
  Offer("named");
  EXPECT_TRUE(ready());
  ModelRecord& later = records_.Add("later");
  later.wanted[1] = {};
  later.versions[1].QueueForRoom();
  ASSERT_TRUE(later.versions[1].BeginLoad({}, {.bytes = 1}));
  EXPECT_TRUE(ready()) << "it is being loaded";
  Fail("later");
  EXPECT_FALSE(ready());
  records_.Change("later")->wanted.clear();
  EXPECT_TRUE(ready()) << "it is not wanted any more";
}

}  // namespace
}  // namespace inferd::repository
