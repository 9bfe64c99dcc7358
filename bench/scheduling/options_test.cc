#include "bench/scheduling/options.h"

#include <gtest/gtest.h>

namespace inferd::bench {
namespace {

TEST(SchedulingOptionsTest, WhatWasNeverAnsweredHasFailed) {
  ctl::LoadReport report;
  EXPECT_DOUBLE_EQ(FailedShare(report), 0);
  report.due = 200;
  report.answered = 150;
  report.refused = 10;
  EXPECT_DOUBLE_EQ(FailedShare(report), 0.25);
}

TEST(SchedulingOptionsTest, ARowHasACellForEachColumn) {
  ctl::LoadReport report;
  report.answered = report.completed = 2;
  report.seconds = 4;
  report.latency.Record(1'000'000);
  const auto cells = LoadCells("open", "on", "1.00", report);
  ASSERT_EQ(cells.size(), LoadColumns().size());
  EXPECT_EQ(cells[8], "0.5");
  EXPECT_EQ(cells[13], "-");  // no CPU time was measured
  EXPECT_EQ(PercentileText({}, 99), "-");
}

}  // namespace
}  // namespace inferd::bench
