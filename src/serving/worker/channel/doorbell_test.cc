#include "serving/worker/channel/doorbell.h"

#include <gtest/gtest.h>

#include <thread>

namespace inferd::worker {
namespace {

TEST(DoorbellTest, NoRingIsMissed) {
  Doorbell there{};
  Doorbell back{};
  std::thread other([&] {
    for (uint32_t i = 0; i < 2000; ++i) {
      while (there.rung.load() == i) there.Wait(i, INT64_MAX / 2);
      back.Ring();
    }
  });
  for (uint32_t i = 0; i < 2000; ++i) {
    there.Ring();
    while (back.rung.load() == i) back.Wait(i, INT64_MAX / 2);
  }
  other.join();
}

TEST(DoorbellTest, ACountLeavesWhoSleepsToTheNextRing) {
  Doorbell bell{};
  bell.waiting.store(1);
  bell.Count();
  EXPECT_EQ(bell.rung.load(), 1u);
  EXPECT_EQ(bell.waiting.load(), 1u);
  bell.Ring();
  EXPECT_EQ(bell.rung.load(), 2u);
  EXPECT_EQ(bell.waiting.load(), 0u);
}

TEST(DoorbellTest, WaitsNoLongerThanItIsTold) {
  Doorbell bell{};
  bell.Wait(0, 1000);
  EXPECT_EQ(bell.waiting.load(), 0u);
  bell.Ring();
  bell.Wait(0, INT64_MAX / 2);
}

}  // namespace
}  // namespace inferd::worker
