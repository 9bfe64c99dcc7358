#include "kserve/model/scale/knative_autoscaler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kserve/model/scale/scale_fixture.h"

namespace inferd::model {
namespace {

using std::chrono::seconds;

TEST(MetricWindowTest, AveragesOverTheSecondsThatThereWere) {
  MetricWindow window(seconds(3));
  EXPECT_TRUE(window.IsEmpty(seconds(0)));
  window.Record(seconds(10), 6);
  EXPECT_EQ(window.Average(seconds(10)), 6);
  window.Record(seconds(11), 3);
  window.Record(std::chrono::milliseconds(11'500), 3);
  EXPECT_EQ(window.Average(seconds(11)), 6);
  EXPECT_EQ(window.Average(seconds(12)), 4) << "nothing came in the last second";
  EXPECT_EQ(window.Average(seconds(13)), 2) << "the first second is out of the window";
  EXPECT_FALSE(window.IsEmpty(seconds(13)));
  EXPECT_TRUE(window.IsEmpty(seconds(14)));
  window.Record(seconds(100), 9);
  EXPECT_EQ(window.Average(seconds(100)), 3) << "two seconds without anything and this one";
}

TEST(MaximumWindowTest, ForgetsWhatIsOld) {
  MaximumWindow window(seconds(10));
  EXPECT_EQ(window.Maximum(seconds(0)), 0);
  window.Record(seconds(0), 5);
  window.Record(seconds(4), 2);
  window.Record(seconds(6), 3);
  EXPECT_EQ(window.Maximum(seconds(9)), 5);
  EXPECT_EQ(window.Maximum(seconds(10)), 3);
  EXPECT_EQ(window.Maximum(seconds(99)), 3) << "the last one counts in any case";
}

TEST(KnativeAutoscalerTest, NothingMeasuredIsNoDecision) {
  KnativeAutoscaler autoscaler(kSmall, seconds(0), 1);
  EXPECT_FALSE(autoscaler.Scale(seconds(2), 1).valid);
  autoscaler.Record(seconds(2), 7);
  EXPECT_TRUE(autoscaler.Scale(seconds(2), 1).valid);
  EXPECT_FALSE(autoscaler.Scale(seconds(200), 1).valid);
}

TEST(KnativeAutoscalerTest, AConstantLoadHasItsPodsAndKeepsThem) {
  Simulation simulation(kSmall, 1, 5);
  simulation.Run(300, [](int64_t) { return 70; });
  EXPECT_EQ(simulation.pods(), 10);
  EXPECT_EQ(simulation.most(), 10);
  simulation.ForgetExtremes();
  simulation.Run(3600, [](int64_t) { return 70; });
  EXPECT_EQ(simulation.most(), 10);
  EXPECT_EQ(simulation.least(), 10);
}

TEST(KnativeAutoscalerTest, AStepIsMetWithinThePanicWindow) {
  Simulation simulation(kSmall, 1, 5);
  simulation.Run(120, [](int64_t) { return 5; });
  EXPECT_EQ(simulation.pods(), 1);
  simulation.Run(8, [](int64_t) { return 140; });
  EXPECT_EQ(simulation.pods(), 20) << "the panic window has six seconds";
  EXPECT_TRUE(simulation.decision().panicking);
  simulation.Run(300, [](int64_t) { return 140; });
  EXPECT_EQ(simulation.pods(), 20);
  EXPECT_EQ(simulation.most(), 20) << "and no more";
  EXPECT_FALSE(simulation.decision().panicking);
  EXPECT_EQ(simulation.turns(), 0);
}

TEST(KnativeAutoscalerTest, ASpikeDoesNotTakePodsAwayInThePanic) {
  Simulation simulation(kSmall, 2, 1);
  simulation.Run(120, [](int64_t) { return 10; });
  simulation.ForgetExtremes();
  const int64_t begin = simulation.now_s();
  simulation.Run(60, [&](int64_t now) { return now < begin + 10 ? 100 : 10; });
  EXPECT_EQ(simulation.least(), 2);
  EXPECT_EQ(simulation.pods(), simulation.most()) << "a stable window has not passed";
  EXPECT_LE(simulation.most(), 15) << "what 100 requests at once need";
  simulation.Run(120, [](int64_t) { return 10; });
  EXPECT_EQ(simulation.pods(), 2);
  EXPECT_EQ(simulation.turns(), 1);
}

// Returns the load of a day: a wave between 0 and 140 concurrent requests, with up to 10 percent noise.
double LoadOfDay(int64_t now, uint32_t& random) {
  random = random * 1664525 + 1013904223;
  const double noise = 0.9 + 0.2 * (random >> 8) / static_cast<double>(1 << 24);
  return 70 * (1 + std::sin(2 * std::numbers::pi * static_cast<double>(now) / 86'400)) * noise;
}

TEST(KnativeAutoscalerTest, ADayIsFollowedClosely) {
  Simulation simulation(kSmall, 8, 10);
  uint32_t random = 1;
  for (int minutes = 0; minutes < 24 * 60; minutes += 5) {
    simulation.ForgetExtremes();
    const double before = LoadOfDay(simulation.now_s(), random) / kSmall.target_value;
    simulation.Run(300, [&](int64_t now) { return LoadOfDay(now, random); });
    EXPECT_LE(simulation.most() - simulation.least(), 3) << "after " << minutes << " minutes";
    EXPECT_LE(static_cast<double>(simulation.most()), before * 1.2 + 3) << "after " << minutes << " minutes";
  }
}

TEST(KnativeAutoscalerTest, ADayWithADelayDoesNotFlap) {
  KnativeSettings settings = kSmall;
  settings.scale_down_delay = seconds(300);
  Simulation simulation(settings, 8, 10);
  uint32_t random = 1;
  simulation.ForgetExtremes();
  simulation.Run(86'400, [&](int64_t now) { return LoadOfDay(now, random); });
  EXPECT_LE(simulation.turns(), 60) << "a day has 43 200 decisions, and noise tips the average between two numbers";
  EXPECT_LE(simulation.most(), 22);
}

TEST(KnativeAutoscalerTest, TheLastPodGoesAfterTheWindowAndTheGrace) {
  Simulation simulation(kSmall, 1, 1);
  simulation.Run(100, [](int64_t) { return 5; });
  // The stable window becomes empty within 60 s. Then the gate waits for the grace period of 30 s.
  simulation.Run(60, [](int64_t) { return 0; });
  EXPECT_EQ(simulation.pods(), 1);
  simulation.Run(29, [](int64_t) { return 0; });
  EXPECT_EQ(simulation.pods(), 1);
  simulation.Run(5, [](int64_t) { return 0; });
  EXPECT_EQ(simulation.pods(), 0);
  simulation.Run(2, [](int64_t) { return 1; });
  EXPECT_GE(simulation.pods(), 1) << "a request brings one back at the next decision";
}

TEST(KnativeAutoscalerTest, BoundsHold) {
  KnativeSettings settings = kSmall;
  settings.min_scale = 2;
  settings.max_scale = 5;
  Simulation simulation(settings, 2, 1);
  simulation.Run(200, [](int64_t) { return 0; });
  EXPECT_EQ(simulation.pods(), 2);
  simulation.Run(200, [](int64_t) { return 1000; });
  EXPECT_EQ(simulation.pods(), 5);
}

TEST(KnativeAutoscalerTest, RatesBoundEachDecision) {
  KnativeSettings settings = kSmall;
  settings.max_scale_up_rate = 2;
  settings.panic_threshold = 1000;
  KnativeAutoscaler autoscaler(settings, seconds(0), 1);
  for (int64_t now = 0; now < 60; ++now) autoscaler.Record(seconds(now), 700);
  EXPECT_EQ(autoscaler.Scale(seconds(60), 3).desired_pods, 6);
  for (int64_t now = 60; now < 130; ++now) autoscaler.Record(seconds(now), 0);
  EXPECT_EQ(autoscaler.Scale(seconds(130), 9).desired_pods, 4) << "at most half of them goes at once";
}

TEST(KnativeAutoscalerTest, ActivationBringsSeveralAtOnce) {
  KnativeSettings settings = kSmall;
  settings.activation_scale = 3;
  Simulation simulation(settings, 1, 1);
  simulation.Run(10, [](int64_t) { return 1; });
  EXPECT_EQ(simulation.pods(), 3);
  simulation.Run(200, [](int64_t) { return 0; });
  EXPECT_EQ(simulation.pods(), 0);
}

TEST(KnativeAutoscalerTest, ADelayHoldsTheLargestNumber) {
  KnativeSettings settings = kSmall;
  settings.scale_down_delay = seconds(600);
  Simulation simulation(settings, 1, 1);
  simulation.Run(120, [](int64_t) { return 70; });
  simulation.Run(590, [](int64_t) { return 7; });
  EXPECT_EQ(simulation.pods(), 10);
  simulation.Run(3 * 600, [](int64_t) { return 7; });
  EXPECT_EQ(simulation.pods(), 1) << "by half at a time";
}

TEST(KnativeAutoscalerTest, TheActivatorIsInThePathWhileABurstWouldNotFit) {
  const auto capacity = [](double burst, int64_t ready) {
    KnativeSettings settings = kSmall;
    settings.target_burst_capacity = burst;
    KnativeAutoscaler autoscaler(settings, seconds(0), ready);
    autoscaler.Record(seconds(1), 5);
    return autoscaler.Scale(seconds(2), ready);
  };
  // The average of the two seconds is 2.5.
  EXPECT_EQ(capacity(20, 3).excess_burst_capacity, 7);  // 3 * 10 - 20 - 2.5
  EXPECT_FALSE(capacity(20, 3).activator_in_path());
  EXPECT_TRUE(capacity(211, 3).activator_in_path());
  EXPECT_TRUE(capacity(-1, 1000).activator_in_path());
  EXPECT_FALSE(capacity(0, 0).activator_in_path());
}

TEST(ZeroGateTest, StatesFollowEachOther) {
  KnativeSettings settings = kSmall;
  settings.pod_retention = seconds(40);
  ZeroGate gate(settings, seconds(0));
  EXPECT_EQ(gate.Pods(3, seconds(1), false), 3);
  EXPECT_EQ(gate.Pods(0, seconds(59), false), 1);
  EXPECT_EQ(gate.state(), ZeroGate::State::kActive) << "active for less than a stable window";
  EXPECT_EQ(gate.Pods(0, seconds(61), false), 1);
  EXPECT_EQ(gate.state(), ZeroGate::State::kIdle);
  EXPECT_EQ(gate.Pods(0, seconds(100), true), 1) << "the pod is retained for 40 s";
  EXPECT_EQ(gate.Pods(0, seconds(101), true), 0);
  EXPECT_EQ(gate.state(), ZeroGate::State::kGone);
  EXPECT_EQ(gate.Pods(2, seconds(102), true), 2);
  EXPECT_EQ(gate.state(), ZeroGate::State::kActive);
  settings.scale_to_zero = false;
  ZeroGate closed(settings, seconds(0));
  EXPECT_EQ(closed.Pods(0, seconds(9999), true), 1);
}

TEST(ZeroGateTest, OneThatBeginsWithoutPodsHasNone) {
  KnativeSettings settings = kSmall;
  settings.initial_scale = 0;
  ZeroGate gate(settings, seconds(0));
  EXPECT_EQ(gate.Pods(0, seconds(1), true), 0);
  EXPECT_EQ(gate.Pods(1, seconds(2), true), 1);
  EXPECT_EQ(gate.Pods(0, seconds(3), true), 1) << "active for less than a stable window";
}

TEST(KnativeSettingsTest, AreOfTheFieldsAndTheAnnotations) {
  ComponentExtension extension;
  const auto plain = KnativeSettingsOf(extension, {});
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->min_scale, 1) << "KServe's default";
  EXPECT_EQ(plain->max_scale, 0);
  EXPECT_EQ(plain->target_value, 70);
  EXPECT_EQ(plain->panic_window, seconds(6));

  extension.min_replicas = 0;
  extension.max_replicas = 4;
  extension.scale_target = 5;
  extension.container_concurrency = 10;
  const auto fields = KnativeSettingsOf(extension, {{"autoscaling.knative.dev/min-scale", "2"},
                                                    {"autoscaling.knative.dev/target", "50"},
                                                    {"autoscaling.knative.dev/window", "2m"},
                                                    {"autoscaling.knative.dev/target-burst-capacity", "-1"},
                                                    {"autoscaling.knative.dev/scale-down-delay", "1m30s"},
                                                    {"autoscaling.knative.dev/target-utilization-percentage", "80"}});
  ASSERT_TRUE(fields.has_value());
  EXPECT_EQ(fields->min_scale, 0);
  EXPECT_EQ(fields->max_scale, 4);
  EXPECT_EQ(fields->total_value, 5);
  EXPECT_EQ(fields->target_value, 4);
  EXPECT_EQ(fields->stable_window, seconds(120));
  EXPECT_EQ(fields->panic_window, seconds(12));
  EXPECT_EQ(fields->scale_down_delay, seconds(90));
  EXPECT_EQ(fields->target_burst_capacity, -1);

  extension.scale_target = 50;
  EXPECT_EQ(KnativeSettingsOf(extension, {})->total_value, 10) << "a pod takes no more than containerConcurrency";
  extension.scale_metric = "rps";
  EXPECT_EQ(KnativeSettingsOf(extension, {})->target_value, 35);
  extension.scale_target.reset();
  EXPECT_EQ(KnativeSettingsOf(extension, {})->target_value, 140);
}

TEST(KnativeSettingsTest, AnnotationsThatAreWrongAreNamed) {
  const auto error = [](const char* name, const char* value) {
    const auto settings = KnativeSettingsOf({}, {{"autoscaling.knative.dev/" + std::string(name), value}});
    return settings.has_value() ? "" : settings.error().message();
  };
  EXPECT_EQ(error("min-scale", "-1"), "autoscaling.knative.dev/min-scale: '-1' must be an integer of at least 0");
  EXPECT_EQ(error("max-scale", "many"), "autoscaling.knative.dev/max-scale: 'many' must be an integer of at least 0");
  EXPECT_EQ(error("window", "1s"), "autoscaling.knative.dev/window: '1s' is no duration in the range");
  EXPECT_EQ(error("window", "60"), "autoscaling.knative.dev/window: '60' is no duration in the range");
  EXPECT_EQ(error("target", "nan"), "autoscaling.knative.dev/target: 'nan' is no number in the range");
  EXPECT_EQ(error("metric", "cpu"), "autoscaling.knative.dev/metric: 'cpu' is no metric of Knative's own autoscaler");
  EXPECT_EQ(error("panic-threshold-percentage", "100"),
            "autoscaling.knative.dev/panic-threshold-percentage: '100' is no number in the range");
}

TEST(GoDurationTest, IsRead) {
  EXPECT_EQ(ParseGoDuration("1h2m3s4ms"), ScaleTime(3'723'004));
  EXPECT_EQ(ParseGoDuration("1.5s"), ScaleTime(1500));
  EXPECT_EQ(ParseGoDuration("0"), ScaleTime(0));
  for (const char* text : {"", "5", "s", "-1s", "1s1", "1e3s", "1d", "inf", "nans", "99999999999999999h"}) {
    EXPECT_FALSE(ParseGoDuration(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace inferd::model
