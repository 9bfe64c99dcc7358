#include "net/http2/raw_peer_fixture.h"

// Keepalive and age of a connection, checked by its frames.

namespace inferd::net::http2 {
namespace lifetime_test {

using std::chrono::seconds;

const std::string kPing = Frame(NGHTTP2_PING, 0, 0, "12345678");
const std::string kGrpc = kPost + Field("content-type", "application/grpc+proto");

class LifetimeTest : public RawPeerTest {
 protected:
  LifetimeTest() {
    host_.fake_handler.answer = [this](HttpRequest, Reply reply) { held_.push_back(std::move(reply)); };
    host_.limits_value.idle_timeout = std::chrono::hours(10);
  }
  // Opens a new connection with the current limits, and a call that waits.
  void Call(std::string_view block) {
    Restart();
    Feed(*session_, kGreeting + Frame(NGHTTP2_HEADERS, kEndHeaders | kEndStream, 1, block));
    TakeFrames();
  }

  std::vector<Reply> held_;
};

TEST_F(LifetimeTest, PingsAPeerThatIsSilentDuringACall) {
  host_.limits_value.http2_keepalive.ping_every = seconds(10);
  Call(kGet);
  Tick(seconds(9));
  EXPECT_EQ(CountSent(NGHTTP2_PING), 0u);
  Tick(seconds(11));
  EXPECT_EQ(CountSent(NGHTTP2_PING), 1u);
  Tick(seconds(30));
  EXPECT_FALSE(host_.aborted);
  Tick(seconds(32));
  EXPECT_TRUE(host_.aborted);
}

TEST_F(LifetimeTest, APeerThatAnswersIsKept) {
  host_.limits_value.http2_keepalive.ping_every = seconds(10);
  Call(kGet);
  Tick(seconds(11));
  Feed(*session_, Frame(NGHTTP2_PING, NGHTTP2_FLAG_ACK, 0, std::string("alive?\0\0", 8)));
  Tick(seconds(32));
  EXPECT_FALSE(host_.aborted);
  EXPECT_EQ(last_goaway(), -1);
}

TEST_F(LifetimeTest, GrpcClientsThatPingTooOftenAreDismissed) {
  Call(kGrpc);
  EXPECT_EQ(GoawayFor(kPing + kPing + kPing), -1);
  EXPECT_EQ(GoawayFor(kPing), NGHTTP2_ENHANCE_YOUR_CALM);
  EXPECT_EQ(goaway_words_, "too_many_pings");
  EXPECT_EQ(CountSent(NGHTTP2_GOAWAY), 1u);
  EXPECT_TRUE(host_.closing);
}

TEST_F(LifetimeTest, OthersMayPing) {
  Call(kGet);
  for (int i = 0; i < 100; ++i) Feed(*session_, kPing);
  EXPECT_EQ(last_goaway(), -1);
}

TEST_F(LifetimeTest, AnswersForgivePings) {
  Call(kGrpc);
  held_[0].Start(HttpResponse::Text(200, "application/grpc", ""));
  for (int i = 0; i < 20; ++i) {
    Feed(*session_, kPing + kPing + kPing);
    held_[0].Write(base::BufferSlice(base::Buffer::CopyOf("message")));
    TakeFrames();
  }
  EXPECT_EQ(last_goaway(), -1);
}

TEST_F(LifetimeTest, AnOldConnectionDrainsInTwoSteps) {
  host_.limits_value.http2_age_max = seconds(100);
  Call(kGet);
  Tick(seconds(89));
  EXPECT_EQ(CountSent(NGHTTP2_GOAWAY), 0u);
  Tick(seconds(111));
  EXPECT_EQ(CountSent(NGHTTP2_GOAWAY), 1u);
  EXPECT_EQ(TakeFrames().back().type, NGHTTP2_PING);
  // Requests in flight are still served.
  Feed(*session_, Frame(NGHTTP2_HEADERS, kEndHeaders | kEndStream, 3, kGet) +
                      Frame(NGHTTP2_PING, NGHTTP2_FLAG_ACK, 0, std::string(8, '\0')));
  EXPECT_EQ(CountSent(NGHTTP2_GOAWAY), 2u);
  Tick(seconds(10'000));
  ASSERT_EQ(held_.size(), 2u);
  for (Reply& reply : held_) reply.Send(HttpResponse::Text(200, "", ""));
  EXPECT_EQ(last_goaway(), NGHTTP2_NO_ERROR);
  EXPECT_TRUE(host_.closing);
}

TEST_F(LifetimeTest, AfterItsGraceItIsClosed) {
  host_.limits_value.http2_age_max = seconds(100);
  host_.limits_value.http2_age_grace = seconds(20);
  Call(kGet);
  Tick(seconds(111));
  Tick(seconds(130));
  TakeFrames();
  EXPECT_FALSE(host_.closing);
  Tick(seconds(132));
  EXPECT_EQ(last_goaway(), NGHTTP2_NO_ERROR);
  EXPECT_TRUE(host_.closing);
}

}  // namespace lifetime_test
}  // namespace inferd::net::http2
