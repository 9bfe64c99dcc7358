#include "kserve/clustergateway/cluster/served_revision.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "net/fake_exchange.h"

namespace inferd::clustergateway {
namespace {

using model::ScaleTime;
using std::chrono::seconds;

model::LiveRevision Live(int64_t replicas, int64_t ready) {
  model::LiveRevision live;
  live.name = "iris-predictor-default-00001";
  live.settings.stable_window = seconds(6);
  live.settings.panic_window = seconds(1);
  live.settings.total_value = 10;
  live.settings.target_value = 7;
  live.replicas = replicas;
  live.ready = ready;
  return live;
}

// Scales `count` times, once a second. Each wanted number of pods is reached at once.
int64_t RunFor(ServedRevision& revision, ScaleTime& now, int64_t count, const RevisionLoad& load,
               bool complete = true) {
  for (int64_t i = 0; i < count; ++i) {
    now += seconds(1);
    if (const auto pods = revision.WantedPods(now, load, complete)) revision.Update(Live(*pods, *pods));
  }
  return revision.live().replicas;
}

TEST(ServedRevisionTest, ARequestThatFindsNoPodAsksForOne) {
  int woken = 0;
  ServedRevision revision(Live(0, 0), [&] { ++woken; });
  EXPECT_EQ(revision.AsksForPods(seconds(1)), std::nullopt);
  net::FakeLoop loop;
  auto place = revision.backend()->Acquire(loop, [](gateway::Lease) {});
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(revision.AsksForPods(seconds(1)), 1);
  EXPECT_EQ(revision.AsksForPods(seconds(1)), std::nullopt) << "the order is on its way";
  EXPECT_EQ(revision.AsksForPods(seconds(2)), 1) << "it was lost, or taken back";
  revision.Update(Live(1, 0));
  EXPECT_EQ(revision.AsksForPods(seconds(9)), std::nullopt);
  revision.Measure(base::SystemClock().NowNs());
  EXPECT_EQ(revision.load().waiting, 1U);
  EXPECT_FALSE(revision.IsIdle());
  place->wait.reset();
  revision.Measure(base::SystemClock().NowNs());
  revision.Measure(base::SystemClock().NowNs());
  EXPECT_TRUE(revision.IsIdle());
}

TEST(ServedRevisionTest, PodsHaveAsManyRequestsAsTheGatewaysShareSays) {
  model::LiveRevision live = Live(2, 2);
  live.settings.container_concurrency = 3;
  ServedRevision revision(live, [] {});
  const auto at = [](int port) { return *net::upstream::Address::Parse("127.0.0.1:" + std::to_string(port)); };
  net::FakeLoop loop;
  std::vector<gateway::Lease> leases;
  // Takes as many slots as are granted at once.
  const auto take = [&] {
    size_t taken = 0;
    while (true) {
      auto place = revision.backend()->Acquire(loop, [](gateway::Lease) {});
      if (!place->lease) return taken;
      leases.push_back(std::move(place->lease));
      ++taken;
    }
  };
  revision.SetPlaces({at(1), at(2)}, {.gateways = 2, .index = 0});
  EXPECT_EQ(take(), 3U) << "two at the one, one at the other";
  revision.SetPlaces({at(1), at(2)}, {.gateways = 1, .index = 0});
  EXPECT_EQ(take(), 3U) << "the other gateway has gone";
  EXPECT_EQ(revision.backend()->InFlightOn("127.0.0.1:1"), 3U);
}

TEST(ServedRevisionTest, PodsFollowWhatAllGatewaysMeasured) {
  ServedRevision revision(Live(1, 1), [] {});
  ScaleTime now{0};
  EXPECT_EQ(RunFor(revision, now, 10, {.concurrency = 20, .rate = 1, .waiting = 0}), 3);
  EXPECT_EQ(RunFor(revision, now, 60, {}), 0);
  EXPECT_EQ(RunFor(revision, now, 1, {.concurrency = 0, .rate = 0, .waiting = 1}), 1) << "at another gateway";
}

TEST(ServedRevisionTest, TheLastPodStaysWhileAGatewayWasNotHeardOf) {
  ServedRevision revision(Live(1, 1), [] {});
  ScaleTime now{0};
  EXPECT_EQ(RunFor(revision, now, 60, {}, false), 1);
  EXPECT_EQ(RunFor(revision, now, 5, {}), 0);
}

TEST(ServedRevisionTest, OneThatNoRequestComesToGoes) {
  ServedRevision revision(Live(2, 2), [] {});
  ScaleTime now{0};
  revision.SetReachable(false);
  EXPECT_EQ(RunFor(revision, now, 1, {}), 0);
}

TEST(ServedRevisionTest, KubernetesOwnAutoscalerIsLeftAlone) {
  model::LiveRevision live = Live(0, 0);
  live.scaling = model::RevisionScaling::kByUsage;
  ServedRevision revision(live, [] {});
  net::FakeLoop loop;
  auto place = revision.backend()->Acquire(loop, [](gateway::Lease) {});
  EXPECT_EQ(revision.AsksForPods(seconds(1)), std::nullopt);
  EXPECT_EQ(revision.WantedPods(seconds(1), {.concurrency = 100, .rate = 1, .waiting = 1}, true), std::nullopt);
}

// The new leader starts with the current state, and ignores earlier measurements.
TEST(ServedRevisionTest, AnotherGatewayLeads) {
  ServedRevision revision(Live(1, 1), [] {});
  ScaleTime now{0};
  RunFor(revision, now, 10, {.concurrency = 20, .rate = 1, .waiting = 0});
  revision.ForgetScale();
  EXPECT_EQ(RunFor(revision, now, 5, {}), 3);
}

}  // namespace
}  // namespace inferd::clustergateway
