#include "ctl/histogram_text.h"

#include <gtest/gtest.h>

namespace inferd::ctl {
namespace {

TEST(HistogramTextTest, DrawsARowPerHalfPowerOfTwo) {
  net::LatencyHistogram latency;
  for (int i = 0; i < 90; ++i) latency.Record(1000);
  for (int i = 0; i < 10; ++i) latency.Record(2500);
  EXPECT_EQ(HistogramText(latency),
            "  LATENCY    SHARE\n"
            "< 1.02 us  90.00 %  ##################################################\n"
            "< 1.45 us   0.00 %\n"
            "< 2.05 us   0.00 %\n"
            "< 2.90 us  10.00 %  #####\n");
}

TEST(HistogramTextTest, NothingIsNothing) { EXPECT_EQ(HistogramText(net::LatencyHistogram()), ""); }

}  // namespace
}  // namespace inferd::ctl
