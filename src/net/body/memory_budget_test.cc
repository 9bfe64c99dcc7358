#include "net/body/memory_budget.h"

#include <gtest/gtest.h>

namespace inferd::net {
namespace {

TEST(MemoryBudgetTest, RefusesWhatWouldPassTheLimit) {
  MemoryBudget budget(100);
  EXPECT_TRUE(budget.TryCharge(60));
  EXPECT_FALSE(budget.TryCharge(41));
  EXPECT_FALSE(budget.TryCharge(UINT64_MAX));
  EXPECT_EQ(budget.used(), 60u);
  EXPECT_TRUE(budget.TryCharge(40));
  budget.Release(100);
  EXPECT_EQ(budget.used(), 0u);
}

TEST(MemoryBudgetTest, ZeroIsAShareOfTheMachinesMemory) { EXPECT_GT(MemoryBudget(0).bytes_max(), uint64_t{1} << 24); }

}  // namespace
}  // namespace inferd::net
