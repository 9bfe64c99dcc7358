#include "bench/harness/median.h"

#include <gtest/gtest.h>

namespace inferd::bench {
namespace {

TEST(MedianTest, IsTheMiddle) {
  EXPECT_DOUBLE_EQ(Median({}), 0);
  EXPECT_DOUBLE_EQ(Median({7}), 7);
  EXPECT_DOUBLE_EQ(Median({9, 1, 5}), 5);
  EXPECT_DOUBLE_EQ(Median({4, 1, 2, 100}), 3);
}

}  // namespace
}  // namespace inferd::bench
