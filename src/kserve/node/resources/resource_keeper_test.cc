#include "kserve/node/resources/resource_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/system/usable_cpus.h"
#include "data/manifest/read.h"
#include "kserve/node/resources/control_group_fixture.h"
#include "tests/support/temp_dir.h"

namespace inferd::node {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

manifest::Value Container(std::string_view yaml) { return manifest::ReadYaml(yaml, "container.yaml").value().front(); }

constexpr const char* kInferd =
    "{command: [/opt/bin/inferd], resources: {limits: {memory: 1Gi, cpu: 500m, nvidia.com/gpu: 1}}}";
constexpr const char* kOther = "{command: [python3], resources: {limits: {cpu: 500m}}}";

// Makes keepers with these `controllers`. Without groups if empty.
class ResourceKeeperTest : public ::testing::Test {
 protected:
  ResourceKeeper Keep(const std::string& controllers) const {
    std::ofstream(folder_.path() / "membership") << "0::/\n";
    if (!controllers.empty()) std::ofstream(folder_.path() / "cgroup.controllers") << controllers;
    return ResourceKeeper({.membership = folder_.path() / "membership", .mount = folder_.path()}, RemoveStandIn);
  }

  const support::TempDir folder_;
};

TEST_F(ResourceKeeperTest, SaysWhatGroupsHold) {
  const ResourceKeeper keeper = Keep("cpu memory");
  const LimitsReport report = keeper.Report(Container(kInferd));
  EXPECT_THAT(report.held, ElementsAre("limits.memory 1Gi: by a control group", "limits.cpu 500m: by a control group"));
  EXPECT_THAT(report.not_held, ElementsAre("spec.containers[0].resources.limits[nvidia.com/gpu]"));
  EXPECT_THAT(keeper.ThreadVariables({.cpu_limit_milli = 500}), IsEmpty());
}

TEST_F(ResourceKeeperTest, SaysWhatIsHeldWithoutGroups) {
  const ResourceKeeper keeper = Keep("");
  EXPECT_EQ(keeper.why_no_groups(), "there are no control groups of version 2");
  const LimitsReport report = keeper.Report(Container(kInferd));
  EXPECT_THAT(report.held, ElementsAre("limits.memory 1Gi: a replica that is seen with more is ended (OOMKilled)",
                                       "limits.cpu 500m: as the number of inferd's threads, 1"));
  EXPECT_THAT(report.not_held, ElementsAre("spec.containers[0].resources.limits[nvidia.com/gpu]"));
  EXPECT_THAT(keeper.Report(Container(kOther)).held, IsEmpty());
  EXPECT_THAT(keeper.Report(Container(kOther)).not_held, ElementsAre("spec.containers[0].resources.limits.cpu"));
  EXPECT_EQ(keeper.Report(Container("{resources: {requests: {cpu: 1}}}")), LimitsReport());
}

TEST_F(ResourceKeeperTest, AnInferdWithLessThanAllCpusIsToldHowMany) {
  const ResourceKeeper keeper = Keep("memory");
  EXPECT_THAT(keeper.ThreadVariables({}), IsEmpty());
  EXPECT_THAT(keeper.ThreadVariables({.cpu_limit_milli = 1000 * base::UsableCpus()}), IsEmpty());
  const std::vector<std::string> one = {"INFERD_CPU_THREADS=1", "INFERD_LOOP_THREADS=1"};
  EXPECT_EQ(keeper.ThreadVariables({.cpu_limit_milli = 1}), base::UsableCpus() == 1 ? std::vector<std::string>() : one);
}

TEST_F(ResourceKeeperTest, WhatNoGroupHoldsIsLookedAt) {
  struct Case {
    const char* controllers;
    ContainerResources resources;
    bool group, looked_at;
  };
  const std::vector<Case> cases = {
      {"cpu memory", {}, false, false},
      {"cpu memory", {.cpu_request_milli = 1}, true, false},
      {"cpu memory", {.memory_limit_bytes = 1}, true, false},
      {"cpu", {.memory_limit_bytes = 1}, false, true},
      {"cpu", {.memory_limit_bytes = 1, .cpu_limit_milli = 1}, true, true},
      {"memory", {.cpu_limit_milli = 1}, false, false},
      {"pids", {.memory_limit_bytes = 1, .cpu_limit_milli = 1}, false, true},
  };
  for (const Case& each : cases) {
    ResourceKeeper keeper = Keep(each.controllers);
    {
      auto limits = keeper.Hold("iris", each.resources);
      ASSERT_TRUE(limits.has_value()) << limits.error().message();
      EXPECT_EQ(limits->join() >= 0, each.group) << each.controllers;
      EXPECT_EQ(limits->look_every().has_value(), each.looked_at) << each.controllers;
      EXPECT_EQ(limits->Passed(getpid()), each.looked_at);
      EXPECT_EQ(limits->EndedForMemory(), each.looked_at);
      EXPECT_FALSE(ProcessLimits(std::nullopt, nullptr, 0).Passed(getpid()));
    }
    remove_all(folder_.path() / ("inferd." + std::to_string(getpid())));
  }
}

}  // namespace
}  // namespace inferd::node
