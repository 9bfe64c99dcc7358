#include "ctl/bench/load/latency_histogram.h"

#include <gtest/gtest.h>

namespace inferd::ctl {
namespace {

TEST(LatencyHistogramTest, PercentilesAreWithinABucket) {
  LatencyHistogram histogram;
  for (uint64_t us = 1; us <= 1000; ++us) histogram.Record(us * 1000);
  EXPECT_EQ(histogram.count(), 1000u);
  EXPECT_EQ(histogram.max_ns(), 1'000'000u);
  EXPECT_EQ(histogram.mean_ns(), 500'500u);
  EXPECT_NEAR(static_cast<double>(histogram.PercentileNs(50)), 500'000, 500'000 / 64.0);
  EXPECT_NEAR(static_cast<double>(histogram.PercentileNs(99)), 990'000, 990'000 / 64.0);
  EXPECT_EQ(histogram.PercentileNs(100), 1'000'000u);
}

TEST(LatencyHistogramTest, EveryValueLiesInItsBucket) {
  for (uint64_t ns = 0; ns < LatencyHistogram::kMaxNs; ns = ns < 200 ? ns + 1 : ns + ns / 7) {
    LatencyHistogram histogram;
    histogram.Record(ns);
    histogram.ForEach([&](uint64_t low, uint64_t high, uint64_t count) {
      EXPECT_LE(low, ns);
      EXPECT_GE(high, ns);
      EXPECT_LE(high - low, low / 64 + 1);
      EXPECT_EQ(count, 1u);
    });
    EXPECT_EQ(histogram.PercentileNs(50), ns);
  }
}

TEST(LatencyHistogramTest, MergesAndClamps) {
  LatencyHistogram a, b;
  EXPECT_EQ(a.PercentileNs(99), 0u);
  EXPECT_EQ(a.mean_ns(), 0u);
  a.Record(10);
  b.Record(~uint64_t{0});
  a.Merge(b);
  EXPECT_EQ(a.count(), 2u);
  EXPECT_EQ(a.PercentileNs(50), 10u);
  EXPECT_EQ(a.max_ns(), LatencyHistogram::kMaxNs);
}

}  // namespace
}  // namespace inferd::ctl
