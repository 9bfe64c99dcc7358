#include "bench/harness/engine_rate.h"

#include <gtest/gtest.h>

namespace inferd::bench {
namespace {

TEST(EngineRateTest, ReadsALine) {
  const auto rate = ParseEngineRate("rows mlp callers=2 threads=1 batch=16 rows_per_s=123456.7 cpu_us_per_row=8.123\n");
  ASSERT_TRUE(rate.has_value());
  EXPECT_EQ(rate->callers, 2);
  EXPECT_EQ(rate->threads, 1);
  EXPECT_EQ(rate->batch, 16);
  EXPECT_DOUBLE_EQ(rate->rows_per_s, 123456.7);
  EXPECT_DOUBLE_EQ(rate->cpu_us_per_row, 8.123);
}

TEST(EngineRateTest, PassesOtherLinesOver) {
  EXPECT_FALSE(ParseEngineRate("").has_value());
  EXPECT_FALSE(ParseEngineRate("CPU us per call      engine\n").has_value());
  EXPECT_FALSE(ParseEngineRate("rows mlp callers=2 threads=1 batch=16\n").has_value());
}

TEST(EngineRateTest, TakesEveryRateOfAProgram) {
  const auto rates = EngineRates("echo nothing; echo rows m callers=1 threads=1 batch=1 rows_per_s=5 cpu_us_per_row=6");
  ASSERT_EQ(rates.size(), 1u);
  EXPECT_DOUBLE_EQ(rates[0].cpu_us_per_row, 6);
  EXPECT_TRUE(EngineRates("false").empty());
}

}  // namespace
}  // namespace inferd::bench
