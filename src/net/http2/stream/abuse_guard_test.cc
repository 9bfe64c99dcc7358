#include "net/http2/stream/abuse_guard.h"

#include <gtest/gtest.h>

namespace inferd::net::http2 {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

int IdleFramesTaken(AbuseGuard& guard) {
  int taken = 0;
  while (guard.OnIdleFrame()) ++taken;
  return taken;
}

TEST(AbuseGuard, TakesABurstOfIdleFramesAndThenARate) {
  AbuseGuard guard(0);
  EXPECT_EQ(IdleFramesTaken(guard), 1000);
  guard.OnTick(kSecondNs);
  EXPECT_EQ(IdleFramesTaken(guard), 99);  // the refused frame above counts too
  guard.OnTick(kSecondNs);
  EXPECT_EQ(IdleFramesTaken(guard), 0);
}

TEST(AbuseGuard, WorkAllowsFurtherIdleFrames) {
  AbuseGuard guard(0);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(guard.OnIdleFrame());
  guard.OnRequest();
  guard.OnDataSent(1);
  EXPECT_EQ(IdleFramesTaken(guard), 8);
}

TEST(AbuseGuard, DataMayBeReadLongAfterItWasSent) {
  AbuseGuard guard(0);
  for (int i = 0; i < 100; ++i) guard.OnDataSent(16'000);
  EXPECT_EQ(IdleFramesTaken(guard), 1000 + 100 * (4 + 1000));
}

TEST(AbuseGuard, CountsWastedStreamsOnly) {
  AbuseGuard guard(0);
  for (int i = 0; i < 5000; ++i) EXPECT_TRUE(guard.OnStreamClosed(false));
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(guard.OnStreamClosed(true));
  EXPECT_FALSE(guard.OnStreamClosed(true));
}

TEST(AbuseGuard, AStreamThatEndsWellMakesUpForAWastedOne) {
  AbuseGuard guard(0);
  for (int i = 0; i < 5000; ++i) {
    EXPECT_TRUE(guard.OnStreamClosed(true));
    EXPECT_TRUE(guard.OnStreamClosed(false));
  }
}

TEST(AbuseGuard, AClockThatGoesBackGivesNothing) {
  AbuseGuard guard(5 * kSecondNs);
  EXPECT_EQ(IdleFramesTaken(guard), 1000);
  guard.OnTick(kSecondNs);
  EXPECT_EQ(IdleFramesTaken(guard), 0);
}

}  // namespace
}  // namespace inferd::net::http2
