#include "base/byte_budget.h"

#include <gtest/gtest.h>

namespace inferd::base {
namespace {

TEST(ByteBudgetTest, HoldsAsMuchAsItMay) {
  ByteBudget budget(80);
  EXPECT_TRUE(budget.TryCharge(69));
  EXPECT_FALSE(budget.nearly_used_up());
  EXPECT_FALSE(budget.TryCharge(12));
  EXPECT_FALSE(budget.TryCharge(UINT64_MAX));
  EXPECT_TRUE(budget.TryCharge(11));
  EXPECT_TRUE(budget.nearly_used_up());
  EXPECT_EQ(budget.used(), 80u);
  EXPECT_EQ(budget.refusals(), 2u);
  budget.Release(80);
  EXPECT_EQ(budget.used(), 0u);
}

TEST(ByteBudgetTest, WhatIsThereAlreadyMayPassTheLimit) {
  ByteBudget budget(10);
  budget.Charge(30);
  EXPECT_FALSE(budget.TryCharge(0));
  budget.Release(30);
  EXPECT_TRUE(budget.TryCharge(10));
}

TEST(ByteBudgetTest, WithoutALimitEverythingFits) {
  ByteBudget budget;
  EXPECT_TRUE(budget.TryCharge(uint64_t{1} << 60));
  EXPECT_FALSE(budget.nearly_used_up());
}

}  // namespace
}  // namespace inferd::base
