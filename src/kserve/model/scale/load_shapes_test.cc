#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <ostream>

#include "kserve/model/scale/scale_fixture.h"

namespace inferd::model {
namespace {

using std::chrono::seconds;

constexpr int64_t kMinute = 60;
constexpr double kPeak = 140;  // concurrent requests: 20 pods

double Steady(int64_t) { return kPeak; }
double Silence(int64_t) { return 0; }
double Ramp(int64_t now) { return std::min(kPeak, kPeak * static_cast<double>(now) / (20 * kMinute)); }
double RampDown(int64_t now) { return kPeak - Ramp(now); }
double Burst(int64_t now) { return now >= 5 * kMinute && now < 5 * kMinute + 20 ? kPeak : 7; }
double BurstOutOfSilence(int64_t now) { return now >= 5 * kMinute && now < 5 * kMinute + 20 ? kPeak : 0; }
double OnOffFast(int64_t now) { return now / 10 % 2 == 0 ? kPeak : 0; }
double OnOffSlow(int64_t now) { return now / (5 * kMinute) % 2 == 0 ? kPeak : 0; }
double Sinus(int64_t now) {
  return kPeak / 2 * (1 + std::sin(2 * std::numbers::pi * static_cast<double>(now) / (30 * kMinute)));
}
double Trickle(int64_t now) { return now % 45 == 0 ? 1 : 0; }
double Noise(int64_t now) {
  const auto mixed = static_cast<uint32_t>(now) * 2654435761U;
  return kPeak * (mixed >> 8) / static_cast<double>(1 << 24);
}

struct Shape {
  const char* name;
  double (*load)(int64_t now);
  int64_t delay_s;   // scale-down-delay
  int64_t most;      // pods; never more than the peak needs
  int64_t turns;     // changes of direction in the hour
  int64_t last;      // pods at the end
  double of_needed;  // pod seconds, relative to exactly as many pods as each second's load needs
};

void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

class LoadShapesTest : public testing::TestWithParam<Shape> {};

// Simulates one hour, starting without pods. A pod takes five seconds to become ready.
TEST_P(LoadShapesTest, AreFollowedWithoutFlapping) {
  const Shape& shape = GetParam();
  KnativeSettings settings = kSmall;
  settings.scale_down_delay = seconds(shape.delay_s);
  Simulation simulation(settings, 0, 5);
  double needed = 0;
  simulation.Run(60 * kMinute, [&](int64_t now) {
    needed += std::ceil(shape.load(now) / settings.target_value);
    return shape.load(now);
  });
  EXPECT_LE(simulation.most(), shape.most);
  EXPECT_LE(simulation.turns(), shape.turns);
  EXPECT_EQ(simulation.pods(), shape.last);
  // 90 s are the stable window and the grace period of the last pod.
  EXPECT_LE(static_cast<double>(simulation.pod_seconds()), shape.of_needed * needed + 90);
}

// Knative's rules flap with noise, and with loads that start and stop within a stable window. A delay reduces it.
INSTANTIATE_TEST_SUITE_P(
    Shapes, LoadShapesTest,
    testing::Values(Shape{"steady", Steady, 0, 20, 0, 20, 1.01}, Shape{"silence", Silence, 0, 1, 1, 0, 0},
                    Shape{"ramp", Ramp, 0, 20, 2, 20, 1.01}, Shape{"ramp down", RampDown, 0, 20, 1, 0, 1.1},
                    Shape{"burst", Burst, 0, 20, 1, 1, 1.3},
                    Shape{"burst out of silence", BurstOutOfSilence, 0, 20, 3, 0, 4},
                    Shape{"on and off, fast", OnOffFast, 0, 20, 90, 20, 1.9},
                    Shape{"on and off, fast, delayed", OnOffFast, 120, 20, 36, 20, 2},
                    Shape{"on and off, slow", OnOffSlow, 0, 20, 11, 0, 1.2},
                    Shape{"on and off, slow, delayed", OnOffSlow, 600, 20, 0, 20, 2},
                    Shape{"sinus", Sinus, 0, 20, 12, 9, 1.05}, Shape{"sinus, delayed", Sinus, 60, 20, 4, 9, 1.2},
                    Shape{"trickle", Trickle, 0, 1, 0, 1, 45}, Shape{"noise", Noise, 0, 14, 460, 11, 1.01},
                    Shape{"noise, delayed", Noise, 120, 14, 30, 11, 1.2}));

}  // namespace
}  // namespace inferd::model
