#include "serving/scheduling/queue/concurrency_limit.h"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <queue>
#include <random>
#include <vector>

namespace inferd::scheduling {
namespace concurrency_limit_test {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kSecond = 1'000 * kMs;

// A server with `places` that work in parallel, behind a queue. Its clients send without waiting for responses.
class Simulation {
 public:
  Simulation(ConcurrencyLimit& limit, int places, int64_t service_ns, uint32_t seed = 7)
      : limit_(limit), places_(places), service_ns_(service_ns), random_(seed) {}

  struct Result {
    int64_t answered = 0;
    int64_t refused = 0;
    int64_t limit_min = INT64_MAX;
    int64_t limit_max = 0;
    int64_t in_flight_max = 0;
    double latency_ns = 0;  // mean
  };

  void set_service_ns(int64_t service_ns) { service_ns_ = service_ns; }

  Result Run(double requests_per_second, int64_t duration_ns) {
    Result result;
    std::exponential_distribution<double> pause(requests_per_second / kSecond);
    const int64_t end_ns = now_ns_ + duration_ns;
    int64_t arrival_ns = now_ns_ + static_cast<int64_t>(pause(random_));
    while (arrival_ns < end_ns) {
      if (!running_.empty() && running_.top().done_ns <= arrival_ns) {
        Answer(result);
        continue;
      }
      now_ns_ = arrival_ns;
      Arrive(result);
      arrival_ns += 1 + static_cast<int64_t>(pause(random_));
    }
    result.latency_ns /= static_cast<double>(std::max<int64_t>(result.answered, 1));
    return result;
  }

 private:
  struct Running {
    int64_t done_ns;
    int64_t queued_ns;
    bool operator>(const Running& other) const { return done_ns > other.done_ns; }
  };

  int64_t InFlight() const { return static_cast<int64_t>(running_.size() + waiting_.size()); }

  void Arrive(Result& result) {
    if (!limit_.Admits(InFlight())) {
      ++result.refused;
      return;
    }
    waiting_.push_back(now_ns_);
    Start();
    result.in_flight_max = std::max(result.in_flight_max, InFlight());
  }

  void Start() {
    std::uniform_real_distribution<double> spread(0.9, 1.1);
    while (!waiting_.empty() && running_.size() < static_cast<size_t>(places_)) {
      const auto service_ns = static_cast<int64_t>(static_cast<double>(service_ns_) * spread(random_));
      running_.push({now_ns_ + service_ns, waiting_.front()});
      waiting_.pop_front();
    }
  }

  void Answer(Result& result) {
    const Running done = running_.top();
    now_ns_ = done.done_ns;
    limit_.Record(now_ns_ - done.queued_ns, InFlight(), false, now_ns_);
    running_.pop();
    Start();
    ++result.answered;
    result.latency_ns += static_cast<double>(now_ns_ - done.queued_ns);
    result.limit_min = std::min(result.limit_min, limit_.limit());
    result.limit_max = std::max(result.limit_max, limit_.limit());
  }

  ConcurrencyLimit& limit_;
  const int places_;
  int64_t service_ns_;
  std::mt19937 random_;
  int64_t now_ns_ = kSecond;
  std::deque<int64_t> waiting_;
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
};

TEST(ConcurrencyLimitTest, WithoutAMaximumThereIsNone) {
  ConcurrencyLimit limit({.min = 1, .max = 0});
  EXPECT_FALSE(limit.active());
  EXPECT_TRUE(limit.Admits(1'000'000));
  limit.Record(kSecond, 1'000, true, kSecond);
  EXPECT_EQ(limit.limit(), 0);
}

// The admitted requests keep every place busy, and wait for about one service time more.
TEST(ConcurrencyLimitTest, SettlesWhereThePlacesAreBusyAndFewWait) {
  for (const int places : {1, 4, 16, 64}) {
    ConcurrencyLimit limit({.min = 1, .max = 1'000});
    const int64_t service_ns = 5 * kMs;
    const double capacity = places / 0.005;
    Simulation simulation(limit, places, service_ns);
    simulation.Run(2 * capacity, 25 * kSecond);
    const Simulation::Result result = simulation.Run(2 * capacity, 4 * kSecond);
    EXPECT_GT(static_cast<double>(result.answered), 4 * capacity * 0.97) << places;
    EXPECT_LT(result.latency_ns, 5.5 * static_cast<double>(service_ns)) << places;
    EXPECT_GE(result.limit_max, places) << places;
    EXPECT_LE(result.limit_max, 3 * places + 5) << places;
    EXPECT_GT(result.refused, result.answered / 2) << places;
  }
}

TEST(ConcurrencyLimitTest, NothingIsRefusedBelowCapacity) {
  ConcurrencyLimit limit({.min = 1, .max = 1'000});
  Simulation simulation(limit, 16, 5 * kMs);
  simulation.Run(0.5 * 3'200, kSecond);
  EXPECT_EQ(simulation.Run(0.5 * 3'200, 20 * kSecond).refused, 0);
}

TEST(ConcurrencyLimitTest, StaysWithinItsBounds) {
  ConcurrencyLimit limit({.min = 6, .max = 20});
  Simulation one(limit, 1, 5 * kMs);
  const Simulation::Result slow = one.Run(2'000, 30 * kSecond);
  EXPECT_EQ(slow.limit_min, 6);
  EXPECT_LE(slow.in_flight_max, 20);

  ConcurrencyLimit wide({.min = 6, .max = 20});
  Simulation many(wide, 100, 5 * kMs);
  const Simulation::Result fast = many.Run(20'000, 30 * kSecond);
  EXPECT_EQ(fast.limit_max, 20);
  EXPECT_EQ(fast.in_flight_max, 20);
}

TEST(ConcurrencyLimitTest, AMinimumAboveTheMaximumWins) {
  ConcurrencyLimit limit({.min = 40, .max = 20});
  EXPECT_EQ(limit.limit(), 40);
}

// The limit falls while the server is slow, and is back soon after.
TEST(ConcurrencyLimitTest, RecoversAfterASlowPhase) {
  ConcurrencyLimit limit({.min = 1, .max = 1'000});
  Simulation simulation(limit, 16, 5 * kMs);
  simulation.Run(6'400, 5 * kSecond);
  const int64_t before = limit.limit();
  simulation.set_service_ns(50 * kMs);
  const Simulation::Result slow = simulation.Run(6'400, 4 * kSecond);
  EXPECT_LT(slow.limit_min, before / 2);
  simulation.set_service_ns(5 * kMs);
  simulation.Run(6'400, 2 * kSecond);
  EXPECT_GT(limit.limit(), before * 3 / 4);
  EXPECT_LT(limit.limit(), before * 3 / 2);
}

// If a server becomes slower for good, the base is measured again.
TEST(ConcurrencyLimitTest, MeasuresTheBaseAnew) {
  ConcurrencyLimit limit({.min = 1, .max = 1'000});
  Simulation simulation(limit, 16, 5 * kMs);
  simulation.Run(6'400, 5 * kSecond);
  const int64_t before = limit.limit();
  simulation.set_service_ns(25 * kMs);
  simulation.Run(1'280, 25 * kSecond);
  const Simulation::Result result = simulation.Run(1'280, 4 * kSecond);
  EXPECT_GT(result.limit_max, before * 3 / 4);
  EXPECT_GT(result.answered, static_cast<int64_t>(0.9 * 4 * 640));
}

// The base must not creep up when it is measured under load again and again.
TEST(ConcurrencyLimitTest, DoesNotDriftInALongOverload) {
  for (const int places : {1, 2, 16}) {
    ConcurrencyLimit limit({.min = 1, .max = 1'000});
    Simulation simulation(limit, places, 5 * kMs);
    simulation.Run(400.0 * places, 15 * kSecond);
    const int64_t early = limit.limit();
    const Simulation::Result result = simulation.Run(400.0 * places, 120 * kSecond);
    EXPECT_LE(result.limit_max, 2 * early + 4) << places;
    EXPECT_GT(static_cast<double>(result.answered), 0.95 * 120 * 200 * places) << places;
  }
}

TEST(ConcurrencyLimitTest, ExpiredRequestsShrinkIt) {
  ConcurrencyLimit limit({.min = 2, .max = 100});
  int64_t now_ns = kSecond;
  for (int i = 0; i < 64; ++i) limit.Record(5 * kMs, 8, false, now_ns += 5 * kMs);
  const int64_t before = limit.limit();
  for (int i = 0; i < 2'000; ++i) limit.Record(5 * kMs, 8, true, now_ns += 5 * kMs);
  EXPECT_GT(before, 8);
  EXPECT_LE(limit.limit(), 4) << "where half of it is its square root";
  EXPECT_GE(limit.limit(), 2);
}

TEST(ConcurrencyLimitTest, AFewThatExpireDoNot) {
  ConcurrencyLimit limit({.min = 2, .max = 100});
  int64_t now_ns = kSecond;
  for (int i = 0; i < 2'000; ++i) limit.Record(5 * kMs, 100, i % 4 == 0, now_ns += 5 * kMs);
  EXPECT_EQ(limit.limit(), 100);
}

TEST(ConcurrencyLimitTest, ARetryIsDueWhenThoseOverTheLimitAreAnswered) {
  ConcurrencyLimit limit({.min = 8, .max = 8});
  EXPECT_EQ(limit.RetryAfterMs(8), 1) << "nothing was measured yet";
  for (int i = 0; i < 64; ++i) limit.Record(80 * kMs, 8, false, (i + 20) * 80 * kMs);
  EXPECT_EQ(limit.limit(), 8);
  EXPECT_EQ(limit.RetryAfterMs(8), 10) << "one of eight is answered every 10 ms";
  EXPECT_EQ(limit.RetryAfterMs(15), 80);
  EXPECT_EQ(limit.RetryAfterMs(1 << 30), ConcurrencyLimit::kRetryAfterMsMax);
}

}  // namespace concurrency_limit_test
}  // namespace inferd::scheduling
