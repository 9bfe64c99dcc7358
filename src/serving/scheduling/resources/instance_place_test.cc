#include "serving/scheduling/resources/instance_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::scheduling {
namespace {

config::ModelConfig TwoGroups() {
  config::ModelConfig config;
  config.name = "m";
  config.instance_groups.resize(2);
  config.instance_groups[0].count = 2;
  config.instance_groups[0].resources = {{.name = "R", .global = false, .count = 1}};
  config.instance_groups[1].kind = config::InstanceKind::kGpu;
  config.instance_groups[1].gpus = {3};
  config.instance_groups[1].host_policy = "p";
  config.instance_groups[1].resources = {{.name = "R", .global = false, .count = 1}};
  return config;
}

TEST(InstancePlaceTest, EachInstanceHasItsGroupsPlace) {
  const int core = base::ThreadCpuCores().front();
  const HostPolicies policies({{.name = "p", .cpu_cores = {core}}});
  ResourceArbiter arbiter;
  const auto places = PlaceInstances(TwoGroups(), 1, 3, policies, arbiter);
  ASSERT_TRUE(places.has_value()) << places.error().ToString();
  ASSERT_EQ(places->size(), 3U);
  EXPECT_TRUE((*places)[0].cores.empty());
  EXPECT_EQ((*places)[2].cores, base::CpuCores({core}));
  EXPECT_TRUE((*places)[0].claim->TryAcquire());
  EXPECT_FALSE((*places)[1].claim->TryAcquire()) << "the device's one is taken";
  EXPECT_TRUE((*places)[2].claim->TryAcquire()) << "another device's is not";
  (*places)[0].claim->Release(1);
  (*places)[2].claim->Release(1);
}

TEST(InstancePlaceTest, ComputeThreadsAreClaimedOnCpus) {
  ResourceArbiter arbiter({}, 2);
  config::ModelConfig config = TwoGroups();
  config.instance_groups[0].resources.clear();
  config.instance_groups[1].resources.clear();
  config.instance_groups[1].host_policy.clear();
  const auto places = PlaceInstances(config, 2, 3, HostPolicies(), arbiter);
  ASSERT_TRUE(places.has_value()) << places.error().ToString();
  EXPECT_TRUE((*places)[0].claim->TryAcquire());
  EXPECT_FALSE((*places)[1].claim->TryAcquire());
  EXPECT_TRUE((*places)[2].claim->free());
  (*places)[0].claim->Release(1);
}

TEST(InstancePlaceTest, AModelWithoutGroupsHasPlacesToo) {
  ResourceArbiter arbiter;
  const auto places = PlaceInstances({}, 1, 2, HostPolicies(), arbiter);
  ASSERT_TRUE(places.has_value());
  EXPECT_EQ(places->size(), 2U);
}

TEST(InstancePlaceTest, WhatCannotBeIsALoadError) {
  ResourceArbiter arbiter;
  EXPECT_THAT(PlaceInstances(TwoGroups(), 1, 3, HostPolicies(), arbiter).error().message(),
              ::testing::HasSubstr("host policy 'p'"));
  ResourceArbiter limited({.limits = {{"R", -1, 0}}});
  EXPECT_THAT(PlaceInstances(TwoGroups(), 1, 3, HostPolicies(), limited).error().message(),
              ::testing::HasSubstr("limited to 0"));
}

}  // namespace
}  // namespace inferd::scheduling
