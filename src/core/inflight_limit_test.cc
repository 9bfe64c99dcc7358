#include "core/inflight_limit.h"

#include <gtest/gtest.h>

namespace inferd::core {
namespace {

TEST(InflightLimitTest, GivesSlotsUpToTheLimit) {
  InflightLimit limit(2);
  auto first = limit.Take();
  auto second = limit.Take();
  EXPECT_TRUE(first && second);
  EXPECT_FALSE(limit.Take());
  EXPECT_EQ(limit.count(), 2);
  first.Release();
  first.Release();
  EXPECT_EQ(limit.count(), 1) << "given back once";
  EXPECT_TRUE(limit.Take());
}

TEST(InflightLimitTest, AMovedSlotIsGivenBackOnce) {
  InflightLimit limit(1);
  {
    auto slot = limit.Take();
    InflightLimit::Slot other = std::move(slot);
    EXPECT_FALSE(slot);
    InflightLimit::Slot third;
    third = std::move(other);
    EXPECT_EQ(limit.count(), 1);
  }
  EXPECT_EQ(limit.count(), 0);
}

TEST(InflightLimitTest, NeverMoreThanTheLimitAtOnce) {
  InflightLimit limit(3);
  std::atomic<int> inside{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10'000; ++i) {
        auto slot = limit.Take();
        if (!slot) continue;
        EXPECT_LE(++inside, 3);
        --inside;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(limit.count(), 0);
}

}  // namespace
}  // namespace inferd::core
