#include "kserve/model/resolve/traffic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/manifest/print.h"

namespace inferd::model {
namespace {

TEST(TrafficTest, ACanaryGetsItsShare) {
  const TrafficTarget all = {.revision = "", .latest = true, .percent = 100, .tag = ""};
  EXPECT_EQ(SplitTraffic({}, "a-1", true), std::vector{all});
  EXPECT_EQ(SplitTraffic(20, "", true), std::vector{all}) << "nothing was rolled out before";
  EXPECT_EQ(manifest::ToJson(TrafficDocument(SplitTraffic(20, "a-1", true))),
            R"([{"latestRevision":true,"percent":20,"tag":"latest"},)"
            R"({"latestRevision":false,"revisionName":"a-1","percent":80,"tag":"prev"}])");
  EXPECT_EQ(
      manifest::ToJson(TrafficDocument(SplitTraffic(0, "a-1", false))),
      R"([{"latestRevision":true,"percent":0},{"latestRevision":false,"revisionName":"a-1","percent":100,"tag":"prev"}])");
  EXPECT_EQ(manifest::ToJson(TrafficDocument(SplitTraffic(100, "a-1", false))),
            R"([{"latestRevision":true,"percent":100}])");
}

// Returns Knative's report after it has applied the split.
TrafficStatus Reported(const std::string& latest, std::optional<int64_t> canary_percent, const Rollout& rollout) {
  TrafficStatus status = {.latest_created = latest,
                          .latest_ready = latest,
                          .targets = SplitTraffic(canary_percent, rollout.latest_rolled_out, false)};
  status.targets.front().revision = latest;
  return status;
}

TEST(TrafficTest, ARevisionIsRolledOutWhenItHasAll) {
  Rollout rollout;
  rollout = AdvanceRollout(rollout, Reported("a-1", {}, rollout));
  EXPECT_EQ(rollout, (Rollout{"a-1", "a-1", ""}));
  rollout = AdvanceRollout(rollout, Reported("a-2", 20, rollout));
  EXPECT_EQ(rollout, (Rollout{"a-2", "a-1", ""})) << "a canary";
  rollout = AdvanceRollout(rollout, Reported("a-2", {}, rollout));
  EXPECT_EQ(rollout, (Rollout{"a-2", "a-2", "a-1"})) << "promoted";
  EXPECT_EQ(AdvanceRollout(rollout, Reported("a-2", {}, rollout)), rollout);
  EXPECT_EQ(AdvanceRollout(rollout, TrafficStatus()).latest_rolled_out, "a-2") << "nothing is ready yet";
}

TEST(TrafficTest, ARevisionThatWasRolledOutGoesBack) {
  Rollout rollout = {.latest_ready = "a-2", .latest_rolled_out = "a-2", .previous_rolled_out = "a-1"};
  rollout = AdvanceRollout(rollout, Reported("a-2", 0, rollout));
  EXPECT_EQ(rollout, (Rollout{"a-2", "a-1", "a-1"}));
  EXPECT_EQ(
      manifest::ToJson(TrafficDocument(SplitTraffic(0, rollout.latest_rolled_out, false))),
      R"([{"latestRevision":true,"percent":0},{"latestRevision":false,"revisionName":"a-1","percent":100,"tag":"prev"}])");
  EXPECT_EQ(AdvanceRollout(rollout, Reported("a-2", 0, rollout)), rollout);
  TrafficStatus newer =
      Reported("a-2", 10, {.latest_ready = "a-2", .latest_rolled_out = "a-2", .previous_rolled_out = ""});
  newer.latest_created = "a-3";
  const Rollout before = {.latest_ready = "a-2", .latest_rolled_out = "a-2", .previous_rolled_out = "a-1"};
  EXPECT_EQ(AdvanceRollout(before, newer), before) << "a newer revision is on its way: nothing goes back";
}

}  // namespace
}  // namespace inferd::model
