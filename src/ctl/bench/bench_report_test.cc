#include "ctl/bench/bench_report.h"

#include <gtest/gtest.h>

#include <sstream>

namespace inferd::ctl {
namespace {

class BenchReportTest : public ::testing::Test {
 protected:
  BenchReportTest() {
    arguments_.options.model = "m";
    arguments_.connections = 2;
    report_.answered = report_.completed = 4;
    report_.seconds = 2;
    for (int i = 0; i < 4; ++i) report_.latency.Record(1000);
  }

  std::string Write(bool json) {
    std::ostringstream stream;
    WriteBenchReport(arguments_, report_, {stream, json});
    return stream.str();
  }

  BenchArguments arguments_;
  ctl::LoadReport report_;
};

TEST_F(BenchReportTest, IsTextToRead) {
  EXPECT_EQ(Write(false),
            "model m, JSON, 2 connections, closed loop\n"
            "\n"
            "requests/s   2.0   (4 in 2.0 s)\n"
            "latency      p50 1.00 us   p90 1.00 us   p99 1.00 us   max 1.00 us\n"
            "\n"
            "  LATENCY     SHARE\n"
            "< 1.02 us  100.00 %  ##################################################\n");
  arguments_.rate = 10;
  report_.refused = 1;
  report_.first_error = "HTTP 503: full";
  report_.server_cpu_ns = 4'000'000;
  const std::string text = Write(false);
  EXPECT_NE(text.find("open loop at 10.0 requests/s\n"), std::string::npos) << text;
  EXPECT_NE(text.find("server CPU   1.00 ms per request   (0.2 % of one core)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("failed       1 refused, 0 broken off; the first: HTTP 503: full\n"), std::string::npos) << text;
}

TEST_F(BenchReportTest, SaysThatItIsPartial) {
  report_.stopped = true;
  const std::string text = Write(false);
  EXPECT_TRUE(
      text.starts_with("model m, JSON, 2 connections, closed loop\n\n"
                       "partial      interrupted before its 5.0 s were over\n"
                       "requests/s   2.0   (4 in 2.0 s)\n"))
      << text;
  EXPECT_NE(Write(true).find("\"partial\": true"), std::string::npos);
}

TEST_F(BenchReportTest, IsAJsonObjectForPrograms) {
  report_.server_cpu_ns = 4'000'000;
  EXPECT_EQ(Write(true), R"({
  "model": "m",
  "wire": "json",
  "connections": 2,
  "partial": false,
  "seconds": 2,
  "completed": 4,
  "requests_per_second": 2,
  "refused": 0,
  "broken": 0,
  "server_cpu_us_per_request": 1000,
  "latency_us": {
    "mean": 1,
    "p50": 1,
    "p90": 1,
    "p99": 1,
    "max": 1
  },
  "histogram": [
    {
      "below_us": 1.024,
      "count": 4
    }
  ]
}
)");
}

}  // namespace
}  // namespace inferd::ctl
