#include "serving/core/engine.h"

#include <gtest/gtest.h>

namespace inferd::core {
namespace {

using base::CpuCores;

TEST(LoadSpecTest, WhatGroupsShareRunsOnTheCoresOfAnyOfThem) {
  LoadSpec spec;
  EXPECT_EQ(spec.AllCores(), CpuCores());
  EXPECT_EQ(spec.GroupCores(0), CpuCores()) << "anywhere";
  spec.group_cores = {{2, 3}, {0, 3}};
  EXPECT_EQ(spec.AllCores(), (CpuCores{0, 2, 3}));
  EXPECT_EQ(spec.GroupCores(1), (CpuCores{0, 3}));
  spec.group_cores.emplace_back();
  EXPECT_EQ(spec.AllCores(), CpuCores()) << "one of them runs anywhere";
}

}  // namespace
}  // namespace inferd::core
