#include "kserve/model/scale/hpa.h"

#include <gtest/gtest.h>

#include <cmath>

namespace inferd::model {
namespace {

using std::chrono::seconds;

std::vector<PodUsage> Pods(int64_t count, double usage) {
  return std::vector<PodUsage>(static_cast<size_t>(count), PodUsage{.ready = true, .usage = usage, .request = 1});
}

std::vector<PodUsage> Joined(std::vector<PodUsage> pods, const std::vector<PodUsage>& more) {
  pods.insert(pods.end(), more.begin(), more.end());
  return pods;
}

constexpr PodUsage kNotReady = {.ready = false, .usage = std::nullopt, .request = 1};
constexpr PodUsage kNotMeasured = {.ready = true, .usage = std::nullopt, .request = 1};

struct RecommendationCase {
  const char* name;
  std::vector<PodUsage> pods;
  std::optional<int64_t> replicas;
};
class RecommendReplicasTest : public testing::TestWithParam<RecommendationCase> {};

TEST_P(RecommendReplicasTest, AsKubernetesSays) {
  const HpaSettings settings = {.max_replicas = 100, .target_utilization = 50};
  const auto replicas = static_cast<int64_t>(GetParam().pods.size());
  EXPECT_EQ(RecommendReplicas(settings, replicas, GetParam().pods), GetParam().replicas) << GetParam().name;
}

INSTANTIATE_TEST_SUITE_P(
    Pods, RecommendReplicasTest,
    testing::Values(RecommendationCase{"as it is to be", Pods(4, 0.5), 4},
                    RecommendationCase{"a little more", Pods(4, 0.54), 4}, RecommendationCase{"more", Pods(4, 0.6), 5},
                    RecommendationCase{"twice", Pods(4, 1.0), 8}, RecommendationCase{"half", Pods(4, 0.25), 2},
                    RecommendationCase{"idle", Pods(4, 0), 0}, RecommendationCase{"none", {}, {}},
                    RecommendationCase{"no request", {{.ready = true, .usage = 1, .request = 0}}, {}},
                    RecommendationCase{"nothing measured", {kNotMeasured, kNotReady}, {}},
                    // Starting pods count as using nothing: 3 of 4 ready with twice the target want 6, not 8.
                    RecommendationCase{"more, one starts", Joined(Pods(3, 1.0), {kNotReady}), 6},
                    RecommendationCase{"more, but those that start suffice", Joined(Pods(1, 1.0), {kNotReady}), 2},
                    RecommendationCase{"fewer, one starts", Joined(Pods(3, 0.25), {kNotReady}), 2},
                    RecommendationCase{"fewer, one unknown", Joined(Pods(3, 0.1), {kNotMeasured}), 2},
                    RecommendationCase{"more, one unknown", Joined(Pods(3, 1.0), {kNotMeasured}), 6}));

// Simulates a load in CPUs on pods of one CPU each. The autoscaler decides every 15 s, and pods are ready at once.
class HpaSimulation {
 public:
  explicit HpaSimulation(const HpaSettings& settings) : autoscaler_(settings) {}

  template <typename Load>
  void Run(int64_t duration_s, Load load) {
    for (const int64_t end = now_s_ + duration_s; now_s_ < end; now_s_ += 15) {
      const double usage = std::min(1.0, load(now_s_) / static_cast<double>(replicas_));
      const int64_t wanted = autoscaler_.Scale(seconds(now_s_), replicas_, Pods(replicas_, usage));
      const int direction = wanted > replicas_ ? 1 : wanted < replicas_ ? -1 : 0;
      if (direction != 0) {
        if (last_ != 0 && direction != last_) ++turns_;
        last_ = direction;
      }
      replicas_ = wanted;
      most_ = std::max(most_, wanted);
    }
  }

  int64_t replicas() const { return replicas_; }
  int64_t most() const { return most_; }
  int64_t turns() const { return turns_; }

 private:
  HpaAutoscaler autoscaler_;
  int64_t now_s_ = 0;
  int64_t replicas_ = 1;
  int64_t most_ = 1;
  int64_t turns_ = 0;
  int last_ = 0;
};

constexpr HpaSettings Bounds(int64_t max) { return {.max_replicas = max}; }

TEST(HpaAutoscalerTest, AStepIsMetInStepsOfThePolicies) {
  HpaSimulation simulation(Bounds(100));
  simulation.Run(15, [](int64_t) { return 40; });
  EXPECT_LE(simulation.replicas(), 5) << "four more in 15 s";
  simulation.Run(300, [](int64_t) { return 40; });
  EXPECT_GE(simulation.replicas(), 46) << "a tenth less than 50 is near enough";
  EXPECT_LE(simulation.most(), 50) << "never more than the load needs";
  EXPECT_EQ(simulation.turns(), 0);
}

TEST(HpaAutoscalerTest, FewerComeFiveMinutesLate) {
  HpaSimulation simulation(Bounds(100));
  simulation.Run(300, [](int64_t) { return 8; });
  EXPECT_EQ(simulation.replicas(), 10);
  simulation.Run(285, [](int64_t) { return 0.8; });
  EXPECT_EQ(simulation.replicas(), 10);
  simulation.Run(60, [](int64_t) { return 0.8; });
  EXPECT_EQ(simulation.replicas(), 1);
}

TEST(HpaAutoscalerTest, ALoadThatSwingsDoesNotMakeItFlap) {
  HpaSimulation simulation(Bounds(100));
  simulation.Run(600, [](int64_t now) { return now / 60 % 2 == 0 ? 8 : 2; });
  EXPECT_EQ(simulation.replicas(), 10);
  EXPECT_EQ(simulation.turns(), 0) << "each swing is within the window";
}

TEST(HpaAutoscalerTest, BoundsHold) {
  HpaSimulation simulation(Bounds(5));
  simulation.Run(300, [](int64_t) { return 100; });
  EXPECT_EQ(simulation.replicas(), 5);
  simulation.Run(900, [](int64_t) { return 0; });
  EXPECT_EQ(simulation.replicas(), 1);
}

TEST(HpaAutoscalerTest, ZeroReplicasAreLeftAlone) {
  HpaAutoscaler autoscaler(Bounds(5));
  EXPECT_EQ(autoscaler.Scale(seconds(0), 0, {}), 0);
}

TEST(HpaAutoscalerTest, WithoutMeasurementsNothingChanges) {
  HpaAutoscaler autoscaler(Bounds(5));
  EXPECT_EQ(autoscaler.Scale(seconds(0), 3, std::vector<PodUsage>(3, kNotMeasured)), 3);
}

TEST(HpaSettingsTest, AreKServes) {
  ComponentExtension extension;
  HpaSettings settings = HpaSettingsOf(extension, {});
  EXPECT_EQ(settings.resource, "cpu");
  EXPECT_EQ(settings.target_utilization, 80);
  EXPECT_EQ(settings.min_replicas, 1);
  EXPECT_EQ(settings.max_replicas, 1);
  extension.min_replicas = 0;
  extension.max_replicas = 7;
  settings = HpaSettingsOf(
      extension, {{"serving.kserve.io/metrics", "memory"}, {"serving.kserve.io/targetUtilizationPercentage", "60"}});
  EXPECT_EQ(settings.resource, "memory");
  EXPECT_EQ(settings.target_utilization, 60);
  EXPECT_EQ(settings.min_replicas, 1) << "there is no scale to zero";
  EXPECT_EQ(settings.max_replicas, 7);
  extension.min_replicas = 9;
  extension.scale_metric = "cpu";
  extension.scale_target = 30;
  settings = HpaSettingsOf(extension, {{"serving.kserve.io/metrics", "memory"}});
  EXPECT_EQ(settings.resource, "cpu");
  EXPECT_EQ(settings.target_utilization, 30);
  EXPECT_EQ(settings.max_replicas, 9);
}

}  // namespace
}  // namespace inferd::model
