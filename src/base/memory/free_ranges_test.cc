#include "base/memory/free_ranges.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace inferd::base {
namespace {

TEST(FreeRangesTest, TakesTheFirstThatIsLargeEnough) {
  FreeRanges ranges(100);
  EXPECT_EQ(ranges.Take(30), 0u);
  EXPECT_EQ(ranges.Take(20), 30u);
  EXPECT_EQ(ranges.Take(50), 50u);
  EXPECT_EQ(ranges.Take(1), std::nullopt);
  ranges.Give(30, 20);
  EXPECT_EQ(ranges.Take(21), std::nullopt);
  EXPECT_EQ(ranges.Take(5), 30u);
}

TEST(FreeRangesTest, NeighboursAreOneAgainInAnyOrder) {
  for (const std::vector<size_t>& order : {std::vector<size_t>{0, 1, 2}, {2, 1, 0}, {0, 2, 1}, {1, 0, 2}}) {
    FreeRanges ranges(30);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(ranges.Take(10).has_value());
    for (const size_t i : order) ranges.Give(10 * i, 10);
    EXPECT_EQ(ranges.Take(30), 0u);
  }
}

TEST(FreeRangesTest, NothingIsTakenTwiceAndNothingGetsLost) {
  constexpr size_t kBytes = 1000;
  std::mt19937 random(20261122);  // NOLINT(cert-msc51-cpp)
  FreeRanges ranges(kBytes);
  std::vector<bool> taken(kBytes);
  std::vector<std::pair<size_t, size_t>> held;
  for (int step = 0; step < 5000; ++step) {
    const size_t bytes = 1 + random() % 200;
    if (const auto offset = ranges.Take(bytes)) {
      ASSERT_LE(*offset + bytes, kBytes);
      for (size_t i = *offset; i < *offset + bytes; ++i) {
        ASSERT_FALSE(taken[i]);
        taken[i] = true;
      }
      held.emplace_back(*offset, bytes);
    } else {
      ASSERT_FALSE(held.empty());
      std::swap(held[random() % held.size()], held.back());
      ranges.Give(held.back().first, held.back().second);
      for (size_t i = 0; i < held.back().second; ++i) taken[held.back().first + i] = false;
      held.pop_back();
    }
  }
  for (const auto& [offset, bytes] : held) ranges.Give(offset, bytes);
  EXPECT_EQ(ranges.Take(kBytes), 0u);
}

}  // namespace
}  // namespace inferd::base
