#include "serving/scheduling/metrics/latency_summaries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace inferd::scheduling {
namespace {

using ::testing::HasSubstr;

TEST(LatencySummariesTest, QuantilesAreOfTheLastValues) {
  RecentValues values;
  EXPECT_TRUE(std::isnan(values.Quantile(0.5)));
  for (int i = 10; i > 0; --i) values.Observe(i);
  EXPECT_EQ(values.Quantile(0.5), 5);
  EXPECT_EQ(values.Quantile(0.9), 9);
  EXPECT_EQ(values.Quantile(0.999), 10);
  EXPECT_EQ(values.Quantile(0.0), 1);
  for (size_t i = 0; i < RecentValues::kValuesKept; ++i) values.Observe(7);
  EXPECT_EQ(values.Quantile(0.999), 7) << "the others are too old";
  EXPECT_EQ(values.count(), 10 + RecentValues::kValuesKept);
  EXPECT_EQ(values.sum(), 55 + 7.0 * RecentValues::kValuesKept);
}

TEST(LatencySummariesTest, ThePageHasThemUnderTritonsNames) {
  metrics::Registry registry;
  const metrics::Labels labels = {{"model", "m"}, {"version", "1"}};
  const auto summaries = LatencySummaries::Add(registry, labels, {0.5, 0.999});
  summaries->ObserveRequest(3'000, 1'000);
  summaries->ObserveRequest(5'000, 1'000);
  summaries->ObserveExecution({.compute_input_ns = 100, .compute_infer_ns = 1'800, .compute_output_ns = 100}, 2);
  const std::string page = registry.PrometheusText();
  for (const char* line : {R"(nv_inference_request_summary_us{model="m",version="1",quantile="0.5"} 3)",
                           R"(nv_inference_request_summary_us{model="m",version="1",quantile="0.999"} 5)",
                           R"(nv_inference_request_summary_us_sum{model="m",version="1"} 8)",
                           R"(nv_inference_request_summary_us_count{model="m",version="1"} 2)",
                           R"(nv_inference_queue_summary_us_sum{model="m",version="1"} 2)",
                           R"(nv_inference_compute_infer_summary_us_count{model="m",version="1"} 2)",
                           R"(nv_inference_compute_infer_summary_us{model="m",version="1",quantile="0.5"} 1.8)"}) {
    EXPECT_THAT(page, HasSubstr(line));
  }
  LatencySummaries::RemoveRequests(registry, labels, {0.5, 0.999});
  EXPECT_EQ(registry.PrometheusText().find("request_summary"), std::string::npos);
  EXPECT_THAT(registry.PrometheusText(), HasSubstr("nv_inference_queue_summary_us_sum"));
  registry.Remove(labels);
  EXPECT_EQ(registry.PrometheusText().find("summary"), std::string::npos);
}

}  // namespace
}  // namespace inferd::scheduling
