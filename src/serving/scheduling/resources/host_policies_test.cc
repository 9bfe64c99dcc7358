#include "serving/scheduling/resources/host_policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace inferd::scheduling {
namespace {

using base::CpuCores;
using config::InstanceKind;

config::InstanceGroup Group(std::string policy, InstanceKind kind = InstanceKind::kCpu) {
  config::InstanceGroup group;
  group.name = "g";
  group.kind = kind;
  group.host_policy = std::move(policy);
  return group;
}

std::string Error(const base::Result<CpuCores>& cores) { return cores.has_value() ? "" : cores.error().ToString(); }

TEST(HostPoliciesTest, WithoutPoliciesThreadsRunAnywhere) {
  EXPECT_EQ(HostPolicies().CoresFor(Group(""), 0), CpuCores());
}

TEST(HostPoliciesTest, GroupsNamePoliciesOrHaveTheirKinds) {
  const int core = base::ThreadCpuCores().front();
  const HostPolicies policies({{.name = "mine", .cpu_cores = {core}},
                               {.name = "cpu", .cpu_cores = {core}},
                               {.name = "gpu_1", .cpu_cores = {core}}});
  EXPECT_EQ(policies.CoresFor(Group("mine"), 0), CpuCores({core}));
  EXPECT_EQ(policies.CoresFor(Group("", InstanceKind::kAuto), 0), CpuCores({core}));
  EXPECT_EQ(policies.CoresFor(Group("", InstanceKind::kGpu), 1), CpuCores({core}));
  EXPECT_EQ(policies.CoresFor(Group("", InstanceKind::kGpu), 0), CpuCores());
  EXPECT_EQ(policies.CoresFor(Group("", InstanceKind::kModel), 0), CpuCores());
}

TEST(HostPoliciesTest, TheCoresOfEachOfAModelsGroups) {
  const CpuCores all = base::ThreadCpuCores();
  const HostPolicies policies({{.name = "gpu_1", .cpu_cores = {all.front()}},
                               {.name = "gpu_2", .cpu_cores = {all.back()}},
                               {.name = "mine", .cpu_cores = {all.back()}}});
  config::InstanceGroup gpus = Group("", InstanceKind::kGpu);
  config::ModelConfig config;
  gpus.gpus = {1, 2};
  config.instance_groups = {Group("mine"), Group(""), gpus};
  CpuCores both = {all.front(), all.back()};
  both.erase(std::ranges::unique(both).begin(), both.end());
  EXPECT_EQ(policies.GroupCores(config), (std::vector<CpuCores>{{all.back()}, {}, both}));
  config.instance_groups[2].gpus = {1, 3};
  EXPECT_EQ((*policies.GroupCores(config))[2], CpuCores()) << "one device has no policy";
  config.instance_groups[1] = Group("unknown");
  EXPECT_FALSE(policies.GroupCores(config).has_value());
}

TEST(HostPoliciesTest, NumaNodesAndCoresNarrowEachOther) {
  const support::TempDir nodes;
  const CpuCores all = base::ThreadCpuCores();
  nodes.Write("node0/cpulist", base::FormatCpuCores(all) + ",8000\n");
  nodes.Write("node1/cpulist", "8000-8001\n");
  const HostPolicies policies({{.name = "node", .numa_node = 0},
                               {.name = "one", .cpu_cores = {all.back()}, .numa_node = 0},
                               {.name = "far", .numa_node = 1},
                               {.name = "none", .numa_node = 2}},
                              nodes.path());
  EXPECT_EQ(policies.CoresFor(Group("node"), 0), all);
  EXPECT_EQ(policies.CoresFor(Group("one"), 0), CpuCores({all.back()}));
  EXPECT_EQ(Error(policies.CoresFor(Group("far"), 0)),
            "FAILED_PRECONDITION: host policy 'far': NUMA node 1 has cores 8000-8001, none of which it may run on");
  EXPECT_EQ(Error(policies.CoresFor(Group("none"), 0)),
            "FAILED_PRECONDITION: host policy 'none': there is no NUMA node 2");
}

TEST(HostPoliciesTest, ImpossiblePoliciesAreNamed) {
  const HostPolicies policies({{.name = "many", .cpu_cores = {0, 8000}}});
  EXPECT_THAT(Error(policies.CoresFor(Group("many"), 0)),
              ::testing::StartsWith("FAILED_PRECONDITION: host policy 'many': not all of cores 0,8000 are there"));
  EXPECT_EQ(Error(policies.CoresFor(Group("other"), 0)),
            "INVALID_ARGUMENT: instance group 'g' has the host policy 'other', which this server does not have: see "
            "--host-policy");
}

}  // namespace
}  // namespace inferd::scheduling
