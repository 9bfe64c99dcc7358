#include "base/metrics/registry.h"

#include <gtest/gtest.h>

#include <thread>

namespace inferd::metrics {
namespace {

TEST(RegistryTest, WritesFamiliesAsPrometheusText) {
  Registry registry;
  registry.AddCounter("nv_inference_count", "Rows", {{"model", "m"}, {"version", "1"}})->Add(3);
  registry.AddGauge("pending", "Waiting", {})->Set(-2);
  EXPECT_EQ(registry.PrometheusText(),
            "# HELP nv_inference_count Rows\n# TYPE nv_inference_count counter\n"
            "nv_inference_count{model=\"m\",version=\"1\"} 3\n"
            "# HELP pending Waiting\n# TYPE pending gauge\npending -2\n");
}

TEST(RegistryTest, CountersOfANameHaveATotal) {
  Registry registry;
  EXPECT_EQ(registry.CounterTotal("c"), 0u);
  registry.AddCounter("c", "", {{"a", "1"}})->Add(2);
  registry.AddCounter("c", "", {{"a", "2"}})->Add(3);
  registry.AddGauge("g", "", {})->Set(7);
  EXPECT_EQ(registry.CounterTotal("c"), 5u);
  EXPECT_EQ(registry.CounterTotal("g"), 0u);
}

TEST(RegistryTest, EscapesLabelValuesAndHelp) {
  Registry registry;
  registry.AddCounter("c", "a\nb\\", {{"model", "q\"\\\n"}});
  EXPECT_EQ(registry.PrometheusText(), "# HELP c a\\nb\\\\\n# TYPE c counter\nc{model=\"q\\\"\\\\\\n\"} 0\n");
}

TEST(RegistryTest, SameSeriesIsTheSameHandle) {
  Registry registry;
  EXPECT_EQ(registry.AddCounter("c", "h", {{"a", "1"}}), registry.AddCounter("c", "h", {{"a", "1"}}));
  EXPECT_NE(registry.AddCounter("c", "h", {{"a", "1"}}), registry.AddCounter("c", "h", {{"a", "2"}}));
}

TEST(RegistryTest, RemoveDropsWhatHasAllLabels) {
  Registry registry;
  auto kept = registry.AddCounter("c", "h", {{"model", "m"}, {"version", "1"}});
  registry.AddCounter("c", "h", {{"model", "m"}, {"version", "2"}});
  registry.Remove({{"model", "m"}, {"version", "1"}});
  kept->Add();
  EXPECT_EQ(registry.PrometheusText(), "# HELP c h\n# TYPE c counter\nc{model=\"m\",version=\"2\"} 0\n");
}

TEST(RegistryTest, CallbacksAreReadWhenWritten) {
  Registry registry;
  double value = 1;
  registry.AddCallback(Registry::CallbackKind::kGauge, "g", "h", {}, [&] { return value; });
  value = 0.5;
  EXPECT_NE(registry.PrometheusText().find("\ng 0.5\n"), std::string::npos);
}

TEST(HistogramTest, BucketsAreCumulativeAndBoundsInclusive) {
  const double bounds[] = {1, 2};
  Histogram histogram(bounds);
  for (const double v : {0.5, 1.0, 1.5, 2.0, 9.0}) histogram.Observe(v);
  const auto snapshot = histogram.Read();
  EXPECT_EQ(snapshot.cumulative, (std::vector<uint64_t>{2, 4, 5}));
  EXPECT_DOUBLE_EQ(snapshot.sum, 14.0);
}

TEST(HistogramTest, PrintsBucketsSumAndCount) {
  Registry registry;
  const double bounds[] = {0.5};
  registry.AddHistogram("h", "x", {{"m", "a"}}, bounds)->Observe(0.25);
  EXPECT_EQ(registry.PrometheusText(),
            "# HELP h x\n# TYPE h histogram\nh_bucket{m=\"a\",le=\"0.5\"} 1\nh_bucket{m=\"a\",le=\"+Inf\"} 1\n"
            "h_sum{m=\"a\"} 0.25\nh_count{m=\"a\"} 1\n");
}

TEST(HistogramTest, CountsFromManyThreads) {
  Histogram histogram(LatencyBoundsSeconds());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) histogram.Observe(0.001);
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(histogram.Read().cumulative.back(), 4000u);
}

}  // namespace
}  // namespace inferd::metrics
