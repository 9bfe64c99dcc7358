#include "kserve/kubernetes/client/request_pacer.h"

#include <gtest/gtest.h>

namespace inferd::kubernetes {
namespace {

using std::chrono::milliseconds;

constexpr int64_t kNsPerMs = 1'000'000;

TEST(RequestPacerTest, ABurstGoesAtOnceAndTheRestInTurn) {
  RequestPacer pacer(10, 3);
  int64_t now_ns = 5'000'000'000;
  for (const int wait_ms : {0, 0, 0, 100, 200, 300}) EXPECT_EQ(pacer.Take(now_ns), milliseconds(wait_ms));
  // All have been sent, and there is room for one more.
  now_ns += 400 * kNsPerMs;
  EXPECT_EQ(pacer.Take(now_ns), milliseconds(0));
  EXPECT_EQ(pacer.Take(now_ns), milliseconds(100));
}

TEST(RequestPacerTest, AfterARestThereIsOneBurstAndNoMore) {
  RequestPacer pacer(10, 2);
  for (int i = 0; i < 5; ++i) pacer.Take(0);
  const int64_t later_ns = 3600 * 1000 * kNsPerMs;
  for (const int wait_ms : {0, 0, 100}) EXPECT_EQ(pacer.Take(later_ns), milliseconds(wait_ms));
}

}  // namespace
}  // namespace inferd::kubernetes
