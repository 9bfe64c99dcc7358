#include "controlplane/resolve/traffic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "manifest/print.h"

namespace inferd::controlplane {
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

TEST(TrafficTest, ARevisionIsRolledOutWhenItHasAll) {
  Rollout rollout;
  rollout = AdvanceRollout(rollout, "a-1", SplitTraffic({}, "", false));
  EXPECT_EQ(rollout, (Rollout{"a-1", "a-1", ""}));
  rollout = AdvanceRollout(rollout, "a-2", SplitTraffic(20, rollout.latest_rolled_out, false));
  EXPECT_EQ(rollout, (Rollout{"a-2", "a-1", ""}));
  rollout = AdvanceRollout(rollout, "a-2", SplitTraffic({}, rollout.latest_rolled_out, false));
  EXPECT_EQ(rollout, (Rollout{"a-2", "a-2", "a-1"}));
  EXPECT_EQ(AdvanceRollout(rollout, "a-2", SplitTraffic({}, rollout.latest_rolled_out, false)), rollout);
  EXPECT_EQ(AdvanceRollout(rollout, "", {}).latest_rolled_out, "a-2");
}

}  // namespace
}  // namespace inferd::controlplane
