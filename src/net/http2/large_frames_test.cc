#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "net/http2/raw_peer_fixture.h"

// DATA frames of many kilobytes: the part that nghttp2 has not seen yet is read directly to the body's memory.

namespace inferd::net::http2 {
namespace large_frames_test {

constexpr uint8_t kAck = NGHTTP2_FLAG_ACK;
constexpr size_t kFrameBytes = 300'000;

class LargeFramesTest : public RawPeerTest {
 protected:
  LargeFramesTest() {
    host_.fake_handler.answer = [this](HttpRequest request, Reply reply) {
      body_ = std::move(request.body);
      reply.Send(HttpResponse::Text(200, "text/plain", "ok"));
    };
    for (size_t i = 0; i < kFrameBytes; ++i) payload_ += static_cast<char>(i % 251);
    TakeFrames();
    // The limits of our SETTINGS apply once they are acknowledged.
    Feed(*session_, kGreeting + Frame(NGHTTP2_SETTINGS, kAck, 0, ""));
  }

  static std::string Open(uint32_t stream, std::string_view fields = "") {
    return Frame(NGHTTP2_HEADERS, kEndHeaders, stream, kPost + std::string(fields));
  }
  bool AnswersPings() {
    Feed(*session_, Frame(NGHTTP2_PING, 0, 0, "12345678"));
    return std::ranges::any_of(TakeFrames(), [](const Sent& frame) { return frame.type == NGHTTP2_PING; });
  }
  bool ReadsToSharedSpace() { return session_->PrepareRead().data() == host_.read_space().data(); }

  std::string payload_;
  base::BufferSlice body_;
};

TEST_F(LargeFramesTest, TheRestOfAFrameIsReadToItsBody) {
  const std::string frame = Frame(NGHTTP2_DATA, kEndStream, 1, payload_);
  EXPECT_TRUE(ReadsToSharedSpace());
  Feed(*session_, Open(1, Field("content-length", "300000")) + frame.substr(0, 1009));
  EXPECT_FALSE(ReadsToSharedSpace());
  EXPECT_LE(session_->PrepareRead().size(), kFrameBytes - 1000) << "what comes behind the frame is not the body's";
  const std::byte* rest = session_->PrepareRead().data();
  Feed(*session_, frame.substr(1009), 100'001);
  EXPECT_TRUE(ReadsToSharedSpace());
  ASSERT_EQ(body_.view(), payload_);
  EXPECT_EQ(body_.data() + 1000, rest);
  EXPECT_EQ(last_goaway(), -1);
}

TEST_F(LargeFramesTest, WhatIsBehindAFrameIsNotTakenForIt) {
  const std::string frames = Frame(NGHTTP2_DATA, 0, 1, payload_) + Frame(NGHTTP2_PING, 0, 0, "12345678") +
                             Frame(NGHTTP2_DATA, kEndStream, 1, payload_);
  for (const size_t step : {size_t{7'777}, size_t{100'000}, SIZE_MAX}) {
    Feed(*session_, Open(1) + frames, step);
    EXPECT_EQ(body_.view(), payload_ + payload_) << step;
    Restart();
    Feed(*session_, kGreeting + Frame(NGHTTP2_SETTINGS, kAck, 0, ""));
  }
}

TEST_F(LargeFramesTest, SmallAndPaddedFramesAreReadWithWhatIsBehindThem) {
  Feed(*session_, Open(1) + Frame(NGHTTP2_DATA, 0, 1, payload_.substr(0, 16'000)).substr(0, 1009));
  EXPECT_TRUE(ReadsToSharedSpace());
  Restart();
  Feed(*session_, kGreeting + Frame(NGHTTP2_SETTINGS, kAck, 0, "") + Open(1));
  const std::string padded = Frame(NGHTTP2_DATA, kPadded | kEndStream, 1, "\3" + payload_ + std::string(3, '\0'));
  Feed(*session_, padded.substr(0, 1009));
  EXPECT_TRUE(ReadsToSharedSpace());
  Feed(*session_, padded.substr(1009));
  EXPECT_EQ(body_.view(), payload_);
}

// The body is gone when the rest arrives.
TEST_F(LargeFramesTest, TheRestOfARefusedBodyIsReadToTheSharedSpace) {
  host_.limits_value.body_bytes_max = 1000;
  const std::string frame = Frame(NGHTTP2_DATA, kEndStream, 1, payload_);
  Feed(*session_, Open(1) + frame.substr(0, 2000));
  EXPECT_TRUE(ReadsToSharedSpace());
  Feed(*session_, frame.substr(2000));
  EXPECT_TRUE(AnswersPings());
  EXPECT_EQ(host_.budget->used(), 0u);
}

// The handler answers while the body arrives, and nghttp2 drops the rest.
TEST_F(LargeFramesTest, AStreamThatEndsInTheMiddleOfAFrameIsNotReadTo) {
  const std::string frame = Frame(NGHTTP2_DATA, kEndStream, 1, payload_);
  Feed(*session_, Open(1) + frame.substr(0, 1009));
  session_->OnTick(base::SystemClock().NowNs() + std::chrono::nanoseconds(host_.limits_value.body_timeout).count() +
                   2'000'000'000);
  TakeFrames();
  EXPECT_TRUE(ReadsToSharedSpace());
  Feed(*session_, frame.substr(1009));
  EXPECT_TRUE(AnswersPings());
}

TEST_F(LargeFramesTest, AFrameOverTheLimitEndsTheConnection) {
  EXPECT_EQ(GoawayFor(Open(1) + Frame(NGHTTP2_DATA, 0, 1, std::string((1 << 20) + 1, 'x'))), NGHTTP2_FRAME_SIZE_ERROR);
}

TEST_F(LargeFramesTest, ALongGoodbyeEndsTheConnectionUnread) {
  const std::string goaway = Frame(NGHTTP2_GOAWAY, 0, 0, std::string(8, '\0') + payload_);
  EXPECT_NE(GoawayFor(goaway.substr(0, 9)), -1);
  EXPECT_TRUE(host_.closing);
}

}  // namespace large_frames_test
}  // namespace inferd::net::http2
