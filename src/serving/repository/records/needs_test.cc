#include "serving/repository/records/needs.h"

#include <gmock/gmock.h>

#include <tuple>

#include "serving/core/held_versions_fixture.h"

namespace inferd::repository {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// "a" depends on "b".
class NeedsTest : public core::HeldVersionsTest {
 protected:
  NeedsTest() {
    records_.Add("a").dependencies = {{"b"}};
    records_.dependencies().Set("a", {"b"});
  }
  ModelRecord& Want(const std::string& model, int64_t version) {
    ModelRecord& record = records_.Add(model);
    record.wanted[version] = {};
    return record;
  }
  ModelRecord& Serve(const std::string& model, int64_t version) {
    ModelRecord& record = Want(model, version);
    VersionHarness& harness = record.versions[version];
    harness.QueueForRoom();
    EXPECT_TRUE(harness.BeginLoad({}, {.bytes = 1}));
    std::ignore = harness.Serve(MakeVersion(version));
    return record;
  }
  Needs Judge() { return JudgeNeeds(records_, *records_.Find("a"), 0); }

  ModelRecords records_{{}};
};

TEST_F(NeedsTest, AModelThatDependsOnNoneNeedsNothing) {
  EXPECT_EQ(JudgeNeeds(records_, records_.Add("free"), 0).state, NeedState::kMet);
}

TEST_F(NeedsTest, AnUnknownModelIsMissing) {
  EXPECT_EQ(Judge().state, NeedState::kMissing);
  EXPECT_EQ(Judge().reason, "depends on model 'b', which is not loaded: no repository has it");
  records_.Add("b");
  EXPECT_EQ(Judge().reason, "depends on model 'b', which is not loaded: nothing has loaded it");
  records_.Add("b").problem = "unloaded";
  EXPECT_EQ(Judge().reason, "depends on model 'b', which is not loaded: unloaded");
}

TEST_F(NeedsTest, WhatIsWantedComes) {
  Want("b", 1);
  EXPECT_EQ(Judge().state, NeedState::kComing);
  EXPECT_EQ(Judge().reason, "waits for model 'b', which it depends on");
  EXPECT_THAT(Judge().asleep, IsEmpty());
  Serve("b", 1);
  EXPECT_EQ(Judge().state, NeedState::kMet);
  records_.Add("b").versions[1].SetEnding(true);
  EXPECT_EQ(Judge().state, NeedState::kComing) << "it is wanted, and will be loaded again";
}

TEST_F(NeedsTest, WhatFailedIsMissing) {
  VersionHarness& harness = Want("b", 1).versions[1];
  harness.QueueForRoom();
  harness.RefuseLoad({}, base::ResourceExhausted("too large"), 1);
  EXPECT_EQ(Judge().reason, "depends on model 'b', which is not loaded: too large");
  Serve("b", 2);
  EXPECT_EQ(Judge().state, NeedState::kMet) << "any version will do";
  records_.Add("a").dependencies = {{"b", 1}};
  EXPECT_EQ(Judge().reason, "depends on version 1 of model 'b', which is not loaded: too large");
}

TEST_F(NeedsTest, LongReasonsAreCut) {
  VersionHarness& harness = Want("b", 1).versions[1];
  harness.RefuseLoad({}, base::Unavailable(std::string(1000, 'x')), 1);
  EXPECT_THAT(Judge().reason, HasSubstr("it depends on others that are not loaded"));
}

TEST_F(NeedsTest, WhatSleepsIsToBeDemanded) {
  Want("b", 1).on_demand = true;
  EXPECT_EQ(Judge().state, NeedState::kComing);
  EXPECT_THAT(Judge().asleep, ElementsAre(core::ModelId{"b", 1}));
  records_.Add("b").versions[1].SetDemanded(true);
  EXPECT_THAT(Judge().asleep, IsEmpty());
  records_.Add("a").dependencies = {{"b"}, {"c"}};
  EXPECT_EQ(Judge().state, NeedState::kMissing);
}

TEST_F(NeedsTest, ACircleIsNamed) {
  Want("b", 1);
  records_.dependencies().Set("b", {"a"});
  EXPECT_EQ(Judge().state, NeedState::kMissing);
  EXPECT_EQ(Judge().reason, "circular dependency between models: a -> b -> a");
}

TEST_F(NeedsTest, OfAnEnsembleTheReasonsAreTritons) {
  const auto reason = [this] { return JudgeNeeds(records_, *records_.Find("a"), 0, /*triton_words=*/true).reason; };
  EXPECT_EQ(reason(), "ensemble a contains models that are not available or ambiguous: b: no repository has it");
  records_.Add("b").problem = "unloaded";
  EXPECT_EQ(reason(), "ensemble 'a' depends on 'b' which has no loaded version: unloaded");
  records_.Add("a").dependencies = {{"b", 2}};
  EXPECT_EQ(reason(), "ensemble 'a' depends on 'b' whose required version 2 is not loaded: unloaded");
  Want("b", 2);
  records_.dependencies().Set("b", {"a"});
  EXPECT_EQ(reason(), "circular dependency between ensembles: a -> ... -> b -> a (a -> b -> a)");
}

TEST_F(NeedsTest, RequestsThatAreLeftNeedWhatTheirLoadNeeded) {
  Serve("b", 1);
  EXPECT_FALSE(IsNeeded(records_, *records_.Find("b"), 1, {}));
  ModelRecord& a = records_.Add("a");
  a.left_needs = {{"b"}};
  EXPECT_TRUE(IsNeeded(records_, *records_.Find("b"), 1, {}));
  Serve("b", 2);
  EXPECT_FALSE(IsNeeded(records_, *records_.Find("b"), 1, {})) << "the other version will do";
  const int64_t both[] = {1, 2};
  EXPECT_TRUE(IsNeeded(records_, *records_.Find("b"), 1, both));
  a.left_needs = {{"b", 1}};
  EXPECT_TRUE(IsNeeded(records_, *records_.Find("b"), 1, {}));
  EXPECT_FALSE(IsNeeded(records_, *records_.Find("b"), 2, {}));
  a.dependencies.clear();
  EXPECT_THAT(NamesNeeded(a), ElementsAre("b"));
  a.ForgetLeft();
  EXPECT_THAT(NamesNeeded(a), IsEmpty());
}

TEST_F(NeedsTest, OnlyWhatNothingElseNeedsWasLoadedAlong) {
  records_.dependencies().Set("a", {"b", "c", "d"});
  records_.dependencies().Set("b", {"e"});
  records_.dependencies().Set("other", {"c"});
  for (const char* name : {"a", "b", "c", "d", "e", "other"}) Want(name, 1).loaded_along = true;
  records_.Add("d").loaded_along = false;
  EXPECT_THAT(LoadedAlong(records_, "a"), ElementsAre("b", "e"));
  records_.Add("other").wanted.clear();
  EXPECT_THAT(LoadedAlong(records_, "a"), ElementsAre("b", "c", "e"));
  EXPECT_THAT(LoadedAlong(records_, "nothing"), IsEmpty());
}

}  // namespace
}  // namespace inferd::repository
