#include "kserve/model/scale/revision_scale.h"

#include <gtest/gtest.h>

namespace inferd::model {
namespace {

constexpr KnativeSettings kSettings = {.total_value = 10,
                                       .target_value = 7,
                                       .stable_window = std::chrono::seconds(6),
                                       .panic_window = std::chrono::seconds(1)};

// Runs second by second under a load of concurrent requests. All pods are ready at once.
class Timeline {
 public:
  explicit Timeline(RevisionScale::Begin begin, const KnativeSettings& settings = kSettings)
      : scale_(settings, ScaleTime(0), begin), pods_(begin.pods) {}

  int64_t For(int64_t seconds, double load, bool waiting = false) {
    for (int64_t i = 0; i < seconds; ++i) {
      now_ += std::chrono::seconds(1);
      if (scale_.TakeMeasureTurn(now_)) scale_.Record(now_, load, 0);
      pods_ = scale_.Pods(now_, ready ? pods_ : 0, waiting);
    }
    return pods_;
  }
  RevisionScale& scale() { return scale_; }
  bool ready = true;

 private:
  RevisionScale scale_;
  ScaleTime now_{0};
  int64_t pods_;
};

TEST(RevisionScaleTest, FromNoneToSomeAndBack) {
  Timeline run({.pods = 0, .ready = 0});
  EXPECT_EQ(run.For(10, 0), 0);
  EXPECT_EQ(run.For(1, 1, true), 1) << "a request waits";
  EXPECT_EQ(run.For(20, 20), 3);
  EXPECT_EQ(run.For(60, 0), 0);
}

TEST(RevisionScaleTest, OneThatWasNeverReadyKeepsItsPods) {
  Timeline run({.pods = 2, .ready = 0});
  run.ready = false;
  EXPECT_EQ(run.For(100, 0), 2);
  EXPECT_FALSE(run.scale().was_ready());
  run.ready = true;
  EXPECT_EQ(run.For(100, 0), 0);
}

TEST(RevisionScaleTest, OneThatNoRequestComesToHasNone) {
  Timeline run({.pods = 1, .ready = 1, .was_ready = true}, {.min_scale = 2});
  EXPECT_EQ(run.For(10, 0), 2);
  run.scale().SetReachable(false);
  EXPECT_EQ(run.For(1, 0), 0);
  EXPECT_EQ(run.For(1, 0, true), 1) << "one had chosen it before";
  run.scale().SetReachable(true);
  EXPECT_EQ(run.For(1, 0), 2);
}

// Another gateway has taken the lead, and has measured nothing yet.
TEST(RevisionScaleTest, PodsThatAreThereWhenItBeginsStayForAWindow) {
  Timeline run({.pods = 5, .ready = 5, .was_ready = true});
  EXPECT_EQ(run.For(5, 0), 5);
  EXPECT_EQ(run.For(60, 0), 0);
}

TEST(RevisionScaleTest, ByRate) {
  KnativeSettings settings = kSettings;
  settings.metric = KnativeSettings::Metric::kRequestsPerSecond;
  RevisionScale scale(settings, ScaleTime(0), {.pods = 1, .ready = 1, .was_ready = true});
  int64_t pods = 1;
  for (int second = 1; second <= 12; ++second) {
    const ScaleTime now = std::chrono::seconds(second);
    ASSERT_TRUE(scale.TakeMeasureTurn(now));
    ASSERT_FALSE(scale.TakeMeasureTurn(now));
    scale.Record(now, 1'000, 14);
    pods = scale.Pods(now, pods, false);
  }
  EXPECT_EQ(pods, 2);
}

}  // namespace
}  // namespace inferd::model
