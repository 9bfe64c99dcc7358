#include "ctl/bench/load/arrivals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace inferd::ctl {
namespace {

using Kind = Arrivals::Kind;

std::vector<int64_t> Take(Arrivals arrivals, size_t count) {
  std::vector<int64_t> times;
  for (; times.size() < count; arrivals.Advance()) times.push_back(arrivals.next_ns());
  return times;
}

TEST(ArrivalsTest, ConstantOnesAreAtEqualDistances) {
  EXPECT_EQ(Take(Arrivals(Kind::kConstant, 1000, 1, 0, 1), 4),
            (std::vector<int64_t>{0, 1'000'000, 2'000'000, 3'000'000}));
}

TEST(ArrivalsTest, ConstantOnesDoNotDrift) {
  EXPECT_EQ(Take(Arrivals(Kind::kConstant, 3, 1, 0, 1), 3'000'001).back(), 1'000'000'000'000'000);
}

TEST(ArrivalsTest, SharesOfConstantOnesTakeTurns) {
  std::vector<int64_t> all;
  for (size_t share = 0; share < 3; ++share) {
    const auto times = Take(Arrivals(Kind::kConstant, 1000, 1, share, 3), 100);
    all.insert(all.end(), times.begin(), times.end());
  }
  std::ranges::sort(all);
  EXPECT_EQ(all, Take(Arrivals(Kind::kConstant, 1000, 1, 0, 1), 300));
}

TEST(ArrivalsTest, PoissonOnesHaveTheRateAndExponentialDistances) {
  constexpr size_t kCount = 200'000;
  const auto times = Take(Arrivals(Kind::kPoisson, 1000, 7, 0, 1), kCount);
  ASSERT_TRUE(std::ranges::is_sorted(times));
  EXPECT_NEAR(static_cast<double>(times.back()) / kCount, 1e6, 1e4);
  size_t longer_than_mean = 0;
  double squares = 0;
  for (size_t i = 1; i < kCount; ++i) {
    const double distance = static_cast<double>(times[i] - times[i - 1]) / 1e6;
    longer_than_mean += distance > 1;
    squares += distance * distance;
  }
  EXPECT_NEAR(static_cast<double>(longer_than_mean) / kCount, std::exp(-1), 0.01);
  EXPECT_NEAR(squares / kCount, 2, 0.1);  // twice the square of the mean
}

TEST(ArrivalsTest, SharesOfPoissonOnesMakeTheWholeRateAndDiffer) {
  const auto first = Take(Arrivals(Kind::kPoisson, 1000, 7, 0, 4), 50'000);
  const auto second = Take(Arrivals(Kind::kPoisson, 1000, 7, 1, 4), 50'000);
  EXPECT_NE(first, second);
  EXPECT_NEAR(static_cast<double>(first.back()) / 50'000, 4e6, 1e5);
}

TEST(ArrivalsTest, TheSameSeedGivesTheSameTimes) {
  EXPECT_EQ(Take(Arrivals(Kind::kPoisson, 50, 3, 1, 2), 1000), Take(Arrivals(Kind::kPoisson, 50, 3, 1, 2), 1000));
  EXPECT_NE(Take(Arrivals(Kind::kPoisson, 50, 3, 1, 2), 10), Take(Arrivals(Kind::kPoisson, 50, 4, 1, 2), 10));
}

}  // namespace
}  // namespace inferd::ctl
