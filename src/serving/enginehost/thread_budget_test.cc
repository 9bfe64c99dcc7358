#include "serving/enginehost/thread_budget.h"

#include <gtest/gtest.h>

namespace inferd::enginehost {
namespace {

config::ModelConfig WithInstances(std::vector<int> counts) {
  config::ModelConfig config;
  for (const int count : counts) config.instance_groups.emplace_back().count = count;
  return config;
}

TEST(ThreadBudgetTest, InstancesDivideTheBudget) {
  EXPECT_EQ(CpuThreadShare(8, WithInstances({})), 8);
  EXPECT_EQ(CpuThreadShare(8, WithInstances({1})), 8);
  EXPECT_EQ(CpuThreadShare(8, WithInstances({2, 1})), 2);
}

TEST(ThreadBudgetTest, NeverLessThanOne) {
  EXPECT_EQ(CpuThreadShare(2, WithInstances({100})), 1);
  EXPECT_EQ(CpuThreadShare(0, WithInstances({})), 1);
}

}  // namespace
}  // namespace inferd::enginehost
