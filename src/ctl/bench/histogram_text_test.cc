#include "ctl/bench/histogram_text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace inferd::ctl {
namespace {

TEST(HistogramTextTest, DrawsARowPerHalfPowerOfTwo) {
  ctl::LatencyHistogram latency;
  for (int i = 0; i < 90; ++i) latency.Record(1000);
  for (int i = 0; i < 10; ++i) latency.Record(2500);
  EXPECT_EQ(HistogramText(latency),
            "  LATENCY    SHARE\n"
            "< 1.02 us  90.00 %  ##################################################\n"
            "< 1.45 us   0.00 %\n"
            "< 2.05 us   0.00 %\n"
            "< 2.90 us  10.00 %  #####\n");
}

TEST(HistogramTextTest, RowsHaveEveryCall) {
  ctl::LatencyHistogram latency;
  for (int i = 0; i < 90; ++i) latency.Record(1000);
  for (int i = 0; i < 10; ++i) latency.Record(2500);
  const std::vector<HistogramRow> rows = HistogramRows(latency);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_DOUBLE_EQ(rows[0].end_ns, 1024);
  EXPECT_EQ(rows[0].count, 90u);
  EXPECT_EQ(rows[1].count, 0u);
  EXPECT_DOUBLE_EQ(rows[3].end_ns, std::exp2(11.5));
  EXPECT_EQ(rows[3].count, 10u);
}

TEST(HistogramTextTest, NothingIsNothing) {
  EXPECT_TRUE(HistogramRows(ctl::LatencyHistogram()).empty());
  EXPECT_EQ(HistogramText(ctl::LatencyHistogram()), "");
}

}  // namespace
}  // namespace inferd::ctl
