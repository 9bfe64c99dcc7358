#include "serving/core/inflight_limit.h"

#include <gtest/gtest.h>

#include <deque>
#include <thread>
#include <vector>

namespace inferd::core {
namespace {

using Refusal = InflightLimit::Refusal;
using Share = InflightLimit::Share;
using Slot = InflightLimit::Slot;

// Takes slots of `bytes` each until the limit refuses one.
std::vector<Slot> TakeAll(InflightLimit& limit, Share& share, int64_t bytes, Refusal expected) {
  std::vector<Slot> slots;
  for (;;) {
    auto slot = limit.Take(share, bytes);
    if (!slot.has_value()) {
      EXPECT_EQ(slot.error(), expected);
      return slots;
    }
    slots.push_back(std::move(*slot));
  }
}

TEST(InflightLimitTest, GivesSlotsUpToTheLimit) {
  InflightLimit limit({.requests = 2});
  Share share;
  auto first = limit.Take(share, 10);
  const auto second = limit.Take(share, 20);
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_EQ(limit.Take(share, 30).error(), Refusal::kNoPlace);
  EXPECT_EQ(limit.count(), 2);
  EXPECT_EQ(share.bytes(), 30);
  first->Release();
  first->Release();
  EXPECT_EQ(limit.count(), 1) << "given back once";
  EXPECT_EQ(share.requests(), 1);
  EXPECT_EQ(share.bytes(), 20);
  EXPECT_TRUE(limit.Take(share, 0).has_value());
}

TEST(InflightLimitTest, AMovedSlotIsGivenBackOnce) {
  InflightLimit limit({.requests = 1});
  Share share;
  {
    Slot slot = limit.Take(share, 5).value();
    Slot other = std::move(slot);
    EXPECT_FALSE(slot);
    Slot third;
    third = std::move(other);
    EXPECT_EQ(limit.count(), 1);
    EXPECT_EQ(share.bytes(), 5);
  }
  EXPECT_EQ(limit.count(), 0);
  EXPECT_EQ(share.bytes(), 0);
}

TEST(InflightLimitTest, AloneAVersionGetsHalf) {
  InflightLimit limit({.requests = 4096, .bytes = 1000});
  Share share;
  EXPECT_EQ(TakeAll(limit, share, 0, Refusal::kNoPlaceForVersion).size(), 2048u);
  EXPECT_EQ(TakeAll(limit, share, 10, Refusal::kNoMemoryForVersion).size(), 50u);
}

TEST(InflightLimitTest, AFewRequestsEachMayHave) {
  InflightLimit limit({.requests = 5});
  Share share;
  const std::vector<Slot> all_but_one = TakeAll(limit, share, 0, Refusal::kNoPlaceForVersion);
  EXPECT_EQ(all_but_one.size(), 4u);
  Share other;
  EXPECT_EQ(TakeAll(limit, other, 0, Refusal::kNoPlace).size(), 1u);
}

// Simulates the hanging engines of many models.
TEST(InflightLimitTest, HoweverManyTakeAllTheyGetThereIsSomethingLeft) {
  InflightLimit limit({.requests = 4096, .bytes = 1'000'000});
  Share quick;
  std::deque<Share> stuck(100);
  std::vector<std::vector<Slot>> slots;
  for (size_t i = 0; i < 2; ++i) slots.push_back(TakeAll(limit, stuck[i], 0, Refusal::kNoPlaceForVersion));
  EXPECT_EQ(TakeAll(limit, quick, 0, Refusal::kNoPlaceForVersion).size(), 512u) << "half of what two have left";
  for (size_t i = 2; i < 100; ++i) slots.push_back(TakeAll(limit, stuck[i], 0, Refusal::kNoPlaceForVersion));
  EXPECT_EQ(TakeAll(limit, quick, 0, Refusal::kNoPlaceForVersion).size(), InflightLimit::kOwnRequests);

  for (auto& of_one : slots) of_one.clear();
  for (size_t i = 0; i < 3; ++i) slots[i] = TakeAll(limit, stuck[i], 1000, Refusal::kNoMemoryForVersion);
  EXPECT_EQ(TakeAll(limit, quick, 1000, Refusal::kNoMemoryForVersion).size(), 62u) << "of the 125 that are left";
}

TEST(InflightLimitTest, OneRequestMayBeOfAnySize) {
  InflightLimit limit({.requests = 10, .bytes = 100});
  Share share;
  const auto alone = limit.Take(share, 1000);
  EXPECT_TRUE(alone.has_value());
  EXPECT_EQ(limit.Take(share, 1).error(), Refusal::kNoMemoryForVersion);
  Share other;
  EXPECT_TRUE(limit.Take(other, 1).has_value()) << "its first one";
}

TEST(InflightLimitTest, NeverMoreThanTheLimitAtOnce) {
  InflightLimit limit({.requests = 3});
  std::deque<Share> shares(2);
  std::atomic<int> inside{0};
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10'000; ++i) {
        const auto slot = limit.Take(shares[t % 2], 1);
        if (!slot.has_value()) continue;
        EXPECT_LE(++inside, 3);
        --inside;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(limit.count(), 0);
  EXPECT_EQ(shares[0].requests() + shares[1].requests(), 0);
  EXPECT_EQ(shares[0].bytes() + shares[1].bytes(), 0);
}

}  // namespace
}  // namespace inferd::core
