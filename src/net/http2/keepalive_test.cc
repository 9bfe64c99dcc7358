#include "net/http2/keepalive.h"

#include <gtest/gtest.h>

namespace inferd::net::http2 {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Due = Keepalive::Due;

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kHour = 3600 * kSecond;
constexpr int64_t kStart = 1000 * kSecond;

class KeepaliveTest : public ::testing::Test {
 protected:
  Http2Keepalive limits_;
  Keepalive keepalive_{limits_, kStart};
};

TEST_F(KeepaliveTest, PingsASilentPeerAndDropsItWhenItStaysSilent) {
  EXPECT_EQ(keepalive_.OnTick(kStart + 2 * kHour - 1, true), Due::kNothing);
  EXPECT_EQ(keepalive_.OnTick(kStart + 2 * kHour, true), Due::kPing);
  EXPECT_EQ(keepalive_.OnTick(kStart + 2 * kHour + 20 * kSecond, true), Due::kNothing);
  EXPECT_EQ(keepalive_.OnTick(kStart + 2 * kHour + 20 * kSecond + 1, true), Due::kDrop);
}

TEST_F(KeepaliveTest, AnyByteFromThePeerIsAnAnswer) {
  EXPECT_EQ(keepalive_.OnTick(kStart + 2 * kHour, true), Due::kPing);
  keepalive_.OnRead(kStart + 2 * kHour + kSecond);
  EXPECT_EQ(keepalive_.OnTick(kStart + 2 * kHour + 30 * kSecond, true), Due::kNothing);
}

TEST_F(KeepaliveTest, PingsNobodyWithoutStreamsUnlessTold) {
  EXPECT_EQ(keepalive_.OnTick(kStart + 9 * kHour, false), Due::kNothing);
  limits_.ping_without_calls = true;
  EXPECT_EQ(keepalive_.OnTick(kStart + 9 * kHour, false), Due::kPing);
}

TEST_F(KeepaliveTest, PingsWithoutDataAreLimited) {
  limits_.ping_every = seconds(10);
  int64_t now_ns = kStart;
  for (const Due due : {Due::kPing, Due::kPing, Due::kNothing}) {
    EXPECT_EQ(keepalive_.OnTick(now_ns += 10 * kSecond, true), due);
    keepalive_.OnRead(now_ns);
  }
  keepalive_.OnSent();
  EXPECT_EQ(keepalive_.OnTick(now_ns += 10 * kSecond, true), Due::kPing);
  keepalive_.OnRead(now_ns);
  limits_.pings_without_data_max = 0;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(keepalive_.OnTick(now_ns += 10 * kSecond, true), Due::kPing);
    keepalive_.OnRead(now_ns);
  }
}

TEST_F(KeepaliveTest, PingsTooOftenAreStrikes) {
  EXPECT_TRUE(keepalive_.OnPing(kStart, true));
  EXPECT_TRUE(keepalive_.OnPing(kStart + 300 * kSecond, true));  // in time
  EXPECT_TRUE(keepalive_.OnPing(kStart + 301 * kSecond, true));
  EXPECT_TRUE(keepalive_.OnPing(kStart + 302 * kSecond, true));
  EXPECT_FALSE(keepalive_.OnPing(kStart + 303 * kSecond, true));
}

TEST_F(KeepaliveTest, WithoutStreamsTwoHoursMustPass) {
  limits_.client_ping_interval_min = seconds(1);
  limits_.client_ping_strikes_max = 1;
  EXPECT_TRUE(keepalive_.OnPing(kStart, false));
  EXPECT_TRUE(keepalive_.OnPing(kStart + 2 * kHour, false));
  EXPECT_TRUE(keepalive_.OnPing(kStart + 3 * kHour, false));
  EXPECT_FALSE(keepalive_.OnPing(kStart + 4 * kHour, false));
  limits_.ping_without_calls = true;
  EXPECT_TRUE(keepalive_.OnPing(kStart + 4 * kHour + kSecond, false));
}

TEST_F(KeepaliveTest, WhatWeSendForgives) {
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(keepalive_.OnPing(kStart + 3 * i, true));
    EXPECT_TRUE(keepalive_.OnPing(kStart + 3 * i + 1, true));
    EXPECT_TRUE(keepalive_.OnPing(kStart + 3 * i + 2, true));
    i % 2 == 0 ? keepalive_.OnSent() : keepalive_.OnWindowUpdateSent();
  }
}

TEST_F(KeepaliveTest, StrikesMayBeUnlimited) {
  limits_.client_ping_strikes_max = 0;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(keepalive_.OnPing(kStart + i, true));
}

TEST(AgeTest, DrainsOnceThenCloses) {
  Limits limits;
  limits.http2_age_max = seconds(100);
  limits.http2_age_grace = seconds(5);
  Age age(limits, kStart);
  EXPECT_EQ(age.OnTick(kStart + 90 * kSecond - 1), Age::Due::kNothing);
  EXPECT_EQ(age.OnTick(kStart + 110 * kSecond), Age::Due::kDrain);
  EXPECT_EQ(age.OnTick(kStart + 114 * kSecond), Age::Due::kNothing);
  EXPECT_EQ(age.OnTick(kStart + 115 * kSecond), Age::Due::kClose);
}

TEST(AgeTest, WithoutGraceStreamsTakeTheirTime) {
  Limits limits;
  limits.http2_age_max = seconds(100);
  Age age(limits, kStart);
  EXPECT_EQ(age.OnTick(kStart + 110 * kSecond), Age::Due::kDrain);
  EXPECT_EQ(age.OnTick(kStart + 9000 * kSecond), Age::Due::kNothing);
}

TEST(AgeTest, IsUnlimitedByDefault) {
  Age age(Limits(), kStart);
  EXPECT_EQ(age.OnTick(kStart + 9000 * kHour), Age::Due::kNothing);
}

TEST(AgeTest, Differs) {
  Limits limits;
  limits.http2_age_max = milliseconds(1000);
  int drained = 0;
  for (int i = 0; i < 1000; ++i) {
    Age age(limits, kStart + i);
    drained += age.OnTick(kStart + kSecond) == Age::Due::kDrain ? 1 : 0;
  }
  EXPECT_GT(drained, 300);
  EXPECT_LT(drained, 700);
}

}  // namespace
}  // namespace inferd::net::http2
