#include "serving/worker/parent/back_off.h"

#include <gtest/gtest.h>

namespace inferd::worker {
namespace {

constexpr int64_t kMs = 1'000'000;

TEST(BackOffTest, StartsAgainAtOnceAndThenMoreAndMoreSeldom) {
  BackOff back_off;
  EXPECT_EQ(back_off.NextNs(0), 0);
  EXPECT_EQ(back_off.NextNs(5 * kMs), 100 * kMs);
  EXPECT_EQ(back_off.NextNs(5 * kMs), 200 * kMs);
  for (int i = 0; i < 20; ++i) back_off.NextNs(0);
  EXPECT_EQ(back_off.NextNs(0), BackOff::kMostNs);
}

TEST(BackOffTest, ForgetsOnceAProcessHasRunForLong) {
  BackOff back_off;
  for (int i = 0; i < 5; ++i) back_off.NextNs(0);
  EXPECT_EQ(back_off.NextNs(BackOff::kSoundNs), 0);
  EXPECT_EQ(back_off.NextNs(0), 100 * kMs);
}

}  // namespace
}  // namespace inferd::worker
