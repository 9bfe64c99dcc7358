#include "net/http2/drain.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tests/support/fake_session_host.h"

namespace inferd::net::http2 {
namespace {

constexpr uint8_t kDrainPing[8] = {};
constexpr uint8_t kOtherPing[8] = {1};

struct NoCallbacks {
  NoCallbacks() { nghttp2_session_callbacks_new(&raw); }
  ~NoCallbacks() { nghttp2_session_callbacks_del(raw); }
  NoCallbacks(const NoCallbacks&) = delete;
  NoCallbacks& operator=(const NoCallbacks&) = delete;
  nghttp2_session_callbacks* raw = nullptr;
};

class DrainTest : public ::testing::Test {
 protected:
  DrainTest() {
    Sent();  // our SETTINGS
  }

  // Returns the frames that are sent now: 'n' for the notice, 'g' for the final GOAWAY, 'p' for a PING.
  std::string Sent() {
    std::string frames;
    const uint8_t* data = nullptr;
    while (nghttp2_session_mem_send(link_.session, &data) > 0) {
      if (data[3] == NGHTTP2_PING) frames += 'p';
      if (data[3] == NGHTTP2_GOAWAY) frames += data[9] == 0x7f ? 'n' : 'g';  // its last stream is the highest possible
    }
    return frames;
  }
  // Assumes that the last sent frame was the notice.
  std::string SentBehindNotice() {
    drain_.OnGoawaySent();
    return Sent();
  }
  void Tick(int64_t after_ns, size_t streams) {
    link_.now_ns += after_ns;
    drain_.OnTick(streams);
  }

  FakeSessionHost host_;
  NoCallbacks callbacks_;
  Link link_{host_, *callbacks_.raw, nullptr};
  Drain drain_{link_};
  const int64_t idle_ns_ = std::chrono::nanoseconds(host_.limits_value.drain_idle).count();
};

TEST_F(DrainTest, AGrpcPeerIsToldAtOnceAndEndsWhenThePingComesBack) {
  link_.grpc = true;
  EXPECT_TRUE(drain_.Begin());
  EXPECT_EQ(Sent(), "n");
  EXPECT_EQ(SentBehindNotice(), "p");
  drain_.OnPingAck(kOtherPing);
  EXPECT_EQ(Sent(), "");
  drain_.OnPingAck(kDrainPing);
  EXPECT_EQ(Sent(), "g");
  EXPECT_EQ(SentBehindNotice(), "");
}

TEST_F(DrainTest, BeginsOnce) {
  EXPECT_TRUE(drain_.Begin());
  EXPECT_FALSE(drain_.Begin());
}

TEST_F(DrainTest, AnotherPeerIsToldBehindAResponseThatLeavesNoStreamOpen) {
  drain_.Announce();
  drain_.OnResponseSent(2);
  EXPECT_EQ(Sent(), "");
  drain_.OnResponseSent(1);
  EXPECT_EQ(Sent(), "n");
  EXPECT_EQ(SentBehindNotice(), "");  // the PING is due later
  Tick(idle_ns_, 1);
  EXPECT_EQ(Sent(), "p");
}

TEST_F(DrainTest, WithoutAnAnnouncementNothingIsSaidBehindAResponse) {
  drain_.OnResponseSent(1);
  Tick(idle_ns_, 0);
  EXPECT_EQ(Sent(), "");
}

TEST_F(DrainTest, ASilentPeerIsToldAfterAWhile) {
  drain_.Begin();
  Tick(idle_ns_ - 1, 0);
  EXPECT_EQ(Sent(), "");
  Tick(1, 0);
  EXPECT_EQ(Sent(), "n");
}

TEST_F(DrainTest, APeerWithOneStreamIsWaitedForAndOneWithTwoIsNot) {
  drain_.Begin();
  Tick(idle_ns_, 1);
  EXPECT_EQ(Sent(), "");
  Tick(0, 2);
  EXPECT_EQ(Sent(), "n");
}

TEST_F(DrainTest, EndsWithoutThePingWhenThePeerIsSilent) {
  drain_.SubmitNotice();
  EXPECT_EQ(Sent(), "n");
  Tick(idle_ns_ - 1, 0);
  EXPECT_EQ(Sent(), "");
  Tick(1, 0);
  EXPECT_EQ(Sent(), "g");
}

TEST_F(DrainTest, EndsWithoutThePingWhenItIsLongOverdue) {
  drain_.SubmitNotice();
  Sent();
  Tick(9'999'999'999, 1);
  EXPECT_EQ(Sent(), "");
  Tick(1, 1);
  EXPECT_EQ(Sent(), "g");
  Tick(1, 0);
  EXPECT_EQ(Sent(), "");
}

TEST_F(DrainTest, APingThatWasNotOursToAnswerEndsNothing) {
  drain_.OnPingAck(kDrainPing);
  EXPECT_EQ(Sent(), "");
}

}  // namespace
}  // namespace inferd::net::http2
