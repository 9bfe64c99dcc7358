#include "kserve/model/reconcile/revision_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kserve/model/objects_fixture.h"

namespace inferd::model {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kComponent = "iris-predictor-default";
const std::string kFirst = "iris-predictor-default-00001";
const std::string kSecond = "iris-predictor-default-00002";
const std::string kThird = "iris-predictor-default-00003";

LiveRevision Live(int64_t number, const std::string& made_of, int64_t ready = 1, const std::string& uid = "u") {
  LiveRevision revision;
  revision.name = RevisionName(kComponent, number);
  revision.component = kComponent;
  revision.number = number;
  revision.service_uid = uid;
  revision.made_of = made_of;
  revision.ready = ready;
  return revision;
}

std::string TextOf(const std::vector<TrafficTarget>& targets) {
  std::string text;
  for (const TrafficTarget& target : targets) {
    text += (text.empty() ? "" : ", ") + target.revision.substr(kComponent.size() + 1) + " " +
            std::to_string(target.percent) + (target.latest ? " latest" : "") +
            (target.tag.empty() ? "" : " " + target.tag);
  }
  return text;
}

// A component over time. Each Plan finds the result of the previous one in the status.
class RevisionPlanTest : public ::testing::Test {
 protected:
  RevisionPlan Plan(const std::string& made_of, std::optional<int64_t> canary = std::nullopt) {
    RevisionPlan plan = PlanRevisions(before_, made_of, canary, false);
    before_.rollout = plan.rollout;
    before_.traffic = plan.traffic;
    return plan;
  }
  // Plans twice, as the controller does while nothing changes.
  RevisionPlan Settled(const std::string& made_of, std::optional<int64_t> canary = std::nullopt) {
    Plan(made_of, canary);
    return Plan(made_of, canary);
  }

  RevisionsBefore before_{.component = kComponent, .service_uid = "u", .live = {}, .rollout = {}, .traffic = {}};
};

TEST_F(RevisionPlanTest, TheFirstOneHasNoTrafficUntilItIsReady) {
  RevisionPlan plan = Plan("a");
  EXPECT_TRUE(plan.is_new);
  EXPECT_EQ(plan.latest_created, kFirst);
  EXPECT_THAT(plan.traffic, IsEmpty());
  before_.live = {Live(1, "a", 0)};
  plan = Plan("a");
  EXPECT_FALSE(plan.is_new);
  EXPECT_THAT(plan.traffic, IsEmpty());
  before_.live = {Live(1, "a")};
  plan = Plan("a");
  EXPECT_EQ(TextOf(plan.traffic), "00001 100 latest");
  EXPECT_EQ(plan.rollout.latest_rolled_out, kFirst);
  // It is scaled to zero.
  before_.live = {Live(1, "a", 0)};
  EXPECT_EQ(TextOf(Plan("a").traffic), "00001 100 latest");
}

TEST_F(RevisionPlanTest, AChangeIsANewRevisionWhichTheOldOneWaitsFor) {
  before_.live = {Live(1, "a")};
  Settled("a");
  RevisionPlan plan = Plan("b");
  EXPECT_TRUE(plan.is_new);
  EXPECT_EQ(plan.newest, 2);
  EXPECT_EQ(TextOf(plan.traffic), "00001 100 latest");
  EXPECT_THAT(plan.kept, ElementsAre(kFirst));
  before_.live = {Live(1, "a"), Live(2, "b", 0)};
  EXPECT_EQ(TextOf(Plan("b").traffic), "00001 100 latest");
  before_.live = {Live(1, "a"), Live(2, "b")};
  plan = Settled("b");
  EXPECT_EQ(TextOf(plan.traffic), "00002 100 latest");
  EXPECT_EQ(plan.rollout.previous_rolled_out, kFirst);
  EXPECT_THAT(plan.kept, ElementsAre(kFirst)) << "a way back";
  before_.live = {Live(1, "a"), Live(2, "b"), Live(3, "c")};
  plan = Settled("c");
  EXPECT_EQ(TextOf(plan.traffic), "00003 100 latest");
  EXPECT_THAT(plan.kept, ElementsAre(kSecond));
}

TEST_F(RevisionPlanTest, OneThatFailsIsReplacedByTheNext) {
  before_.live = {Live(1, "a")};
  Settled("a");
  before_.live = {Live(1, "a"), Live(2, "bad", 0)};
  Settled("bad");
  const RevisionPlan plan = Settled("c");
  EXPECT_EQ(plan.newest, 3);
  EXPECT_THAT(plan.kept, ElementsAre(kFirst)) << "the one that was never ready goes";
}

TEST_F(RevisionPlanTest, ACanaryHasItsShareAndGoesForwardsOrBack) {
  before_.live = {Live(1, "a")};
  Settled("a");
  before_.live = {Live(1, "a"), Live(2, "b")};
  EXPECT_EQ(TextOf(Settled("b", 10).traffic), "00002 10 latest, 00001 90 prev");
  EXPECT_EQ(TextOf(Settled("b", 0).traffic), "00002 0 latest, 00001 100 prev");
  const RevisionPlan forwards = Settled("b");
  EXPECT_EQ(TextOf(forwards.traffic), "00002 100 latest");
  EXPECT_EQ(forwards.rollout.latest_rolled_out, kSecond);
  EXPECT_EQ(TextOf(Settled("b", 20).traffic), "00002 20 latest, 00001 80 prev") << "back to the one before";
}

// Gateways follow the status, which names the revision until the plan is written to it.
TEST_F(RevisionPlanTest, OneThatTheStatusStillNamesStays) {
  before_.live = {Live(1, "a"), Live(2, "b"), Live(3, "c")};
  before_.rollout = {.latest_ready = kSecond, .latest_rolled_out = kSecond, .previous_rolled_out = ""};
  before_.traffic = {{.revision = kFirst, .latest = false, .percent = 100, .tag = ""}};
  EXPECT_THAT(PlanRevisions(before_, "c", std::nullopt, false).kept, ElementsAre(kFirst, kSecond));
  before_.traffic.clear();
  EXPECT_THAT(PlanRevisions(before_, "c", std::nullopt, false).kept, ElementsAre(kSecond));
}

TEST_F(RevisionPlanTest, RevisionsOfAnEarlierServiceOfThatNameAreNotItsOwn) {
  before_.live = {Live(4, "a", 1, "earlier")};
  const RevisionPlan plan = Plan("a");
  EXPECT_TRUE(plan.is_new);
  EXPECT_EQ(plan.newest, 5);
  EXPECT_THAT(plan.traffic, IsEmpty());
  EXPECT_THAT(plan.kept, IsEmpty());
}

TEST_F(RevisionPlanTest, OneThatBeginsWithoutPodsIsReadyAtOnce) {
  before_.live = {Live(1, "a", 0)};
  before_.live.front().settings.initial_scale = 0;
  EXPECT_EQ(TextOf(Plan("a").traffic), "00001 100 latest");
}

TEST(ReadTrafficTest, WhatIsMalformedIsLeftOut) {
  const auto service = manifest::ReadYaml(R"(
status:
  components:
    predictor:
      traffic:
      - {revisionName: a, latestRevision: true, percent: 10, tag: latest}
      - {revisionName: b, percent: 900}
      - {percent: 5}
      - x
      - {revisionName: c, percent: x}
)",
                                          "f");
  ASSERT_TRUE(service.has_value());
  const std::vector<TrafficTarget> expected = {{.revision = "a", .latest = true, .percent = 10, .tag = "latest"},
                                               {.revision = "b", .latest = false, .percent = 100, .tag = ""},
                                               {.revision = "c", .latest = false, .percent = 0, .tag = ""}};
  EXPECT_EQ(ReadTraffic(service->front(), ComponentKind::kPredictor), expected);
  EXPECT_THAT(ReadTraffic(service->front(), ComponentKind::kTransformer), IsEmpty());
  EXPECT_THAT(ReadTraffic(manifest::Value(), ComponentKind::kPredictor), IsEmpty());
}

}  // namespace
}  // namespace inferd::model
