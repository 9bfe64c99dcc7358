#include "serving/repository/records/model_records.h"

#include <gtest/gtest.h>

#include "serving/core/model_version.h"

namespace inferd::repository {
namespace {

// Gives the model one version, which is being loaded.
void BeginToLoad(ModelRecord& record) {
  record.wanted[1] = {};
  VersionHarness& version = record.versions[1];
  version.QueueForRoom();
  EXPECT_TRUE(version.BeginLoad({}, {.bytes = 100}));
}

void FailToLoad(ModelRecord& record) {
  VersionHarness& version = record.versions[1];
  version.FailLoad(base::InvalidArgument("bad magic"), 1);
  version.LoadGone();
}

TEST(ModelRecordsTest, SumsFollowWhatChanges) {
  ModelRecords records({});
  for (const char* name : {"a", "b"}) BeginToLoad(records.Add(name));
  records.Change("a")->changing = true;
  EXPECT_EQ(records.totals(), RecordTotals{}) << "as of the last Settle";
  records.Settle();
  RecordTotals expected;
  expected.changing = 1;
  expected.ending = 2;
  expected.loading = 2;
  expected.resident_versions = 2;
  expected.resident = {.bytes = 200};
  EXPECT_EQ(records.totals(), expected);
  EXPECT_EQ(records.resident().size(), 2);
  FailToLoad(*records.Change("b"));
  records.Erase("a");
  records.Settle();
  expected = {};
  expected.failed = 1;
  EXPECT_EQ(records.totals(), expected);
  EXPECT_TRUE(records.resident().empty());
}

TEST(ModelRecordsTest, TheInitialSetIsTriedWhenEachModelOfItIs) {
  ModelRecords records({});
  for (const char* name : {"a", "b"}) {
    records.Expect(name);
    BeginToLoad(records.Add(name));
  }
  records.Settle();
  EXPECT_EQ(records.totals().initial_tried, 0);
  FailToLoad(*records.Change("b"));
  records.Settle();
  EXPECT_EQ(records.totals().initial_tried, 1);
  EXPECT_EQ(records.failures(), (std::map<std::string, std::string, std::less<>>{{"b", "bad magic"}}));
  records.Forget("a");
  records.Forget("b");
  records.Settle();
  EXPECT_EQ(records.totals().initial_tried, 0);
  EXPECT_TRUE(records.failures().empty());
}

TEST(ModelRecordsTest, AModelThatNoRepositoryHasCountsAsTried) {
  ModelRecords records({});
  records.Expect("a");
  records.Settle();
  EXPECT_EQ(records.totals().initial_tried, 1);
  EXPECT_EQ(records.totals().initial_up, 0);
  EXPECT_EQ(records.failures().at("a"), "not found in any repository");
}

TEST(ModelRecordsTest, WhatAVersionRefusedIsToldOnce) {
  ModelRecords records({});
  records.Add("m").versions[3].DiscardLoad();
  EXPECT_TRUE(records.TakeRefused().empty()) << "as of the last Settle";
  records.Settle();
  EXPECT_EQ(records.TakeRefused(), (std::vector<std::string>{"'m' version 3: DiscardLoad while resting"}));
  records.Change("m");
  records.Settle();
  EXPECT_TRUE(records.TakeRefused().empty());
  EXPECT_EQ(records.refused(), 1);
}

// The cost of a step grows with the records that it changes: of ten thousand records, it looks at one.
TEST(ModelRecordsTest, AStepTakesInWhatItChangedAndNothingElse) {
  ModelRecords records({});
  for (int i = 0; i < 10'000; ++i) BeginToLoad(records.Add("m" + std::to_string(i)));
  records.Settle();
  EXPECT_EQ(records.TakeChanged().size(), 10'000);
  const uint64_t before = records.settled();
  FailToLoad(*records.Change("m77"));
  records.Erase("m88");
  records.Settle();
  EXPECT_EQ(records.settled() - before, 2);
  EXPECT_EQ(records.TakeChanged(), (std::vector<std::string>{"m77", "m88"}));
  EXPECT_TRUE(records.TakeChanged().empty());
  EXPECT_EQ(records.totals().resident_versions, 9'998);
}

}  // namespace
}  // namespace inferd::repository
