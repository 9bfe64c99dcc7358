#include "serving/core/calls/custom_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::core {
namespace {

using Change = CustomMetric::Change;
using Kind = CustomMetricSpec::Kind;
using ::testing::HasSubstr;
using ::testing::Not;

CustomMetricSpec Spec(Kind kind, std::string name = "own") {
  return {.kind = kind, .name = std::move(name), .help = "Help", .series = true, .labels = {{"b", "2"}, {"a", "1"}}};
}

TEST(CustomMetricsTest, AreOnThePageAsLongAsTheyAreHeld) {
  metrics::Registry registry;
  CustomMetrics metrics(registry);
  auto first = metrics.Open(Spec(Kind::kCounter));
  ASSERT_TRUE(first.has_value()) << first.error().message();
  auto second = metrics.Open(Spec(Kind::kCounter));
  EXPECT_EQ(*(*first)->Do(Change::kAdd, 1.5), 1.5);
  EXPECT_EQ(*(*second)->Do(Change::kRead, 0), 1.5) << "the same name, kind and labels: the same metric";
  first->reset();
  EXPECT_THAT(registry.PrometheusText(), HasSubstr("# TYPE own counter\nown{a=\"1\",b=\"2\"} 1.5\n"));
  second->reset();
  EXPECT_THAT(registry.PrometheusText(), Not(HasSubstr("own")));
  EXPECT_TRUE(metrics.Open(Spec(Kind::kGauge)).has_value()) << "the name is free for another kind";
}

TEST(CustomMetricsTest, EachKindHasItsChanges) {
  metrics::Registry registry;
  CustomMetrics metrics(registry);
  const auto counter = *metrics.Open(Spec(Kind::kCounter, "c"));
  EXPECT_FALSE(counter->Do(Change::kAdd, -1).has_value());
  EXPECT_FALSE(counter->Do(Change::kSet, 1).has_value());
  EXPECT_FALSE(counter->Do(Change::kObserve, 1).has_value());
  const auto gauge = *metrics.Open(Spec(Kind::kGauge, "g"));
  EXPECT_EQ(*gauge->Do(Change::kSet, 4), 4);
  EXPECT_EQ(*gauge->Do(Change::kAdd, -5), -1);
  CustomMetricSpec spec = Spec(Kind::kHistogram, "h");
  spec.bounds = {1, 2};
  const auto histogram = *metrics.Open(spec);
  EXPECT_FALSE(histogram->Do(Change::kRead, 0).has_value());
  EXPECT_TRUE(histogram->Do(Change::kObserve, 1.5).has_value());
  EXPECT_THAT(registry.PrometheusText(), HasSubstr("h_bucket{a=\"1\",b=\"2\",le=\"2\"} 1\n"));
  spec.bounds = {1, 3};
  EXPECT_EQ(metrics.Open(spec).error().code(), base::StatusCode::kAlreadyExists);
}

TEST(CustomMetricsTest, NamesThatAreRefused) {
  metrics::Registry registry;
  const auto server = registry.AddCounter("nv_own", "", {});
  CustomMetrics metrics(registry);
  for (const char* const name : {"", "1a", "a-b", "nv_own"}) {
    EXPECT_EQ(metrics.Open(Spec(Kind::kCounter, name)).error().code(), base::StatusCode::kInvalidArgument) << name;
  }
  CustomMetricSpec labels = Spec(Kind::kCounter);
  labels.labels = {{"a", "1"}, {"a", "2"}};
  EXPECT_FALSE(metrics.Open(labels).has_value());
  labels.labels = {{"le", "1"}};
  EXPECT_FALSE(metrics.Open(labels).has_value());
  CustomMetricSpec bounds = Spec(Kind::kHistogram);
  bounds.bounds = {1, 1};
  EXPECT_FALSE(metrics.Open(bounds).has_value());
  const auto family = metrics.Open({.kind = Kind::kGauge, .name = "alone", .help = ""});
  EXPECT_EQ(metrics.Open(Spec(Kind::kCounter, "alone")).error().code(), base::StatusCode::kAlreadyExists);
}

}  // namespace
}  // namespace inferd::core
