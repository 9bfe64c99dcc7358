#include "kserve/clustergateway/scaling/load_report.h"

#include <gtest/gtest.h>

namespace inferd::clustergateway {
namespace {

TEST(LoadReportTest, ThereAndBack) {
  LoadReport report{.gateway = "g-1", .revisions = {}};
  report.revisions[{"a", "iris-predictor-default-00001"}] = {.concurrency = 1.5, .rate = 3, .waiting = 2};
  report.revisions[{"b", "x"}] = {};
  const auto read = ParseLoadReport(ToJson(report));
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(*read, report);
}

TEST(LoadReportTest, Sums) {
  RevisionLoad load{.concurrency = 1, .rate = 2, .waiting = 3};
  load += {.concurrency = 0.5, .rate = 1, .waiting = 1};
  EXPECT_EQ(load, (RevisionLoad{.concurrency = 1.5, .rate = 3, .waiting = 4}));
}

TEST(LoadReportTest, WhatIsNone) {
  for (const char* const json : {"", "x", "[]", "{}", R"({"gateway":"g"})", R"({"revisions":[]})", "{}{}"}) {
    EXPECT_FALSE(ParseLoadReport(json).has_value()) << json;
  }
}

TEST(LoadReportTest, NumbersThatCannotBeAreLeftOut) {
  for (const char* const number : {"-1", "1e300", "\"x\"", "null", "[]"}) {
    const auto read = ParseLoadReport(R"({"gateway":"g","revisions":[{"namespace":"a","name":"b","concurrency":)" +
                                      std::string(number) + R"(,"rate":1,"waiting":1}, 7, {}]})");
    ASSERT_TRUE(read.has_value()) << number;
    EXPECT_TRUE(read->revisions.empty()) << number;
  }
}

}  // namespace
}  // namespace inferd::clustergateway
