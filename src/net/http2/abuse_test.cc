#include <gtest/gtest.h>

#include <random>

#include "net/http2/fake_peer.h"
#include "net/http2/raw_peer_fixture.h"

// Peers that violate the protocol, or do not do what it requires.

namespace inferd::net::http2 {
namespace {

class AbuseTest : public RawPeerTest {
 protected:
  static std::string BegunAndReset(uint32_t stream, char error) {
    return Frame(NGHTTP2_HEADERS, kEndHeaders | kEndStream, stream, kGet) +
           Frame(NGHTTP2_RST_STREAM, 0, stream, std::string{0, 0, 0, error});
  }
};

TEST_F(AbuseTest, ABadPrefaceEndsTheConnection) {
  EXPECT_EQ(GoawayFor("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), NGHTTP2_PROTOCOL_ERROR);
  EXPECT_TRUE(host_.closing);
}

TEST_F(AbuseTest, AnOversizedFrameEndsTheConnection) {
  EXPECT_EQ(GoawayFor(kGreeting + Frame(NGHTTP2_HEADERS, kEndHeaders, 1, std::string(16'385, 'x'))),
            NGHTTP2_FRAME_SIZE_ERROR);
  EXPECT_TRUE(host_.closing);
}

TEST_F(AbuseTest, BrokenHpackEndsTheConnection) {
  EXPECT_EQ(GoawayFor(kGreeting + Frame(NGHTTP2_HEADERS, kEndHeaders, 1, "\xff\xff\xff\xff\xff")),
            NGHTTP2_COMPRESSION_ERROR);
}

TEST_F(AbuseTest, DataOnNoStreamEndsTheConnection) {
  EXPECT_EQ(GoawayFor(kGreeting + Frame(NGHTTP2_DATA, 0, 1, "x")), NGHTTP2_PROTOCOL_ERROR);
}

TEST_F(AbuseTest, AContinuationFloodEndsTheConnection) {
  std::string bytes = kGreeting + Frame(NGHTTP2_HEADERS, kEndStream, 1, kGet);
  for (int i = 0; i < 100; ++i) bytes += Frame(NGHTTP2_CONTINUATION, 0, 1, "");
  EXPECT_EQ(GoawayFor(bytes), NGHTTP2_ENHANCE_YOUR_CALM);
  EXPECT_TRUE(host_.closing);
}

TEST_F(AbuseTest, RapidResetEndsTheConnection) {
  size_t served = 0;
  host_.fake_handler.answer = [&](HttpRequest, Reply) { ++served; };
  std::string bytes = kGreeting;
  for (uint32_t i = 0; i < 2000; ++i) {
    bytes += BegunAndReset(2 * i + 1, NGHTTP2_CANCEL);
  }
  EXPECT_EQ(GoawayFor(bytes), NGHTTP2_ENHANCE_YOUR_CALM);
  EXPECT_LT(served, 1100u);
}

// A gRPC client cancels many calls at once, with PINGs between them.
TEST_F(AbuseTest, AResetIsNoControlFrame) {
  std::string bytes = kGreeting;
  for (uint32_t i = 0; i < 900; ++i) {
    bytes += BegunAndReset(2 * i + 1, NGHTTP2_CANCEL);
    bytes += Frame(NGHTTP2_PING, 0, 0, "12345678");
  }
  EXPECT_EQ(GoawayFor(bytes), -1);
}

TEST_F(AbuseTest, AResetOfNoStreamIsAControlFrame) {
  std::string bytes = kGreeting + Frame(NGHTTP2_HEADERS, kEndHeaders | kEndStream, 1, kGet);
  for (int i = 0; i < 1100; ++i) bytes += Frame(NGHTTP2_RST_STREAM, 0, 1, std::string("\0\0\0\x08", 4));
  EXPECT_EQ(GoawayFor(bytes), NGHTTP2_ENHANCE_YOUR_CALM);
}

TEST_F(AbuseTest, AResetWithoutAnErrorCountsAsWell) {
  std::string bytes = kGreeting;
  for (uint32_t i = 0; i < 2000; ++i) {
    bytes += BegunAndReset(2 * i + 1, NGHTTP2_NO_ERROR);
  }
  EXPECT_EQ(GoawayFor(bytes), NGHTTP2_ENHANCE_YOUR_CALM);
}

TEST_F(AbuseTest, MakingUsResetCountsAsWell) {
  host_.fake_handler.answer = [](HttpRequest, Reply) {};
  std::string bytes = kGreeting;
  for (uint32_t i = 0; i < 2000; ++i) {
    bytes += Frame(NGHTTP2_HEADERS, kEndHeaders, 2 * i + 1, kPost);
    bytes += Frame(NGHTTP2_WINDOW_UPDATE, 0, 2 * i + 1, "\x7f\xff\xff\xff");  // overflows: a stream error
  }
  EXPECT_EQ(GoawayFor(bytes), NGHTTP2_ENHANCE_YOUR_CALM);
}

TEST_F(AbuseTest, FloodsOfControlFramesEndTheConnection) {
  const std::string kFloods[] = {
      Frame(NGHTTP2_PING, 0, 0, "12345678"),
      Frame(NGHTTP2_PING, NGHTTP2_FLAG_ACK, 0, "12345678"),
      Frame(NGHTTP2_SETTINGS, 0, 0, ""),
      Frame(NGHTTP2_WINDOW_UPDATE, 0, 0, std::string("\0\0\0\1", 4)),
      Frame(NGHTTP2_PRIORITY, 0, 5, std::string("\0\0\0\0\0", 5)),
  };
  for (const std::string& frame : kFloods) {
    session_ = MakeSession(host_);
    output_.clear();
    std::string bytes = kGreeting;
    for (int i = 0; i < 900; ++i) bytes += frame;
    EXPECT_EQ(GoawayFor(bytes), -1) << int{frame[3]};
    bytes.clear();
    for (int i = 0; i < 200; ++i) bytes += frame;
    EXPECT_EQ(GoawayFor(bytes), NGHTTP2_ENHANCE_YOUR_CALM) << int{frame[3]};
  }
}

TEST_F(AbuseTest, AFloodOfEmptyDataEndsTheConnection) {
  std::string bytes = kGreeting + Frame(NGHTTP2_HEADERS, kEndHeaders, 1, kPost);
  for (int i = 0; i < 1100; ++i) bytes += Frame(NGHTTP2_DATA, 0, 1, "");
  EXPECT_EQ(GoawayFor(bytes), NGHTTP2_ENHANCE_YOUR_CALM);
}

TEST_F(AbuseTest, AnswersThatNobodyReadsAreBounded) {
  FakeSessionHost host;
  host.limits_value.http2_streams_max = 1;
  session_ = MakeSession(host);
  std::string bytes = kGreeting + Frame(NGHTTP2_HEADERS, kEndHeaders, 1, kPost);
  // All are refused
  for (uint32_t i = 1; i < 10'000; ++i) bytes += Frame(NGHTTP2_HEADERS, kEndHeaders, 2 * i + 1, kPost);
  EXPECT_EQ(GoawayFor(bytes), NGHTTP2_ENHANCE_YOUR_CALM);
  EXPECT_TRUE(host.closing);
  session_.reset();
}

// gRPC's clients open both windows for each message that they read, and the stream's once more before they read.
TEST_F(AbuseTest, SeveralWindowUpdatesPerMessageAreNoFlood) {
  constexpr int kMessages = 2000;
  Reply reply;
  host_.fake_handler.answer = [&](HttpRequest, Reply given) {
    given.Start(HttpResponse::Text(200, "application/grpc", "x"));
    reply = std::move(given);
  };
  Feed(*session_, kGreeting + Frame(NGHTTP2_HEADERS, kEndHeaders | kEndStream, 1, kPost));
  const std::string one_byte("\0\0\0\1", 4);
  const std::string updates = Frame(NGHTTP2_WINDOW_UPDATE, 0, 0, one_byte) +
                              Frame(NGHTTP2_WINDOW_UPDATE, 0, 1, one_byte) +
                              Frame(NGHTTP2_WINDOW_UPDATE, 0, 1, one_byte);
  for (int i = 0; i < kMessages; ++i) {
    reply.Write(base::BufferSlice(base::Buffer::CopyOf("m")));
    TakeAll(*session_);
    Feed(*session_, updates);
  }
  EXPECT_EQ(last_goaway(), -1);
  EXPECT_FALSE(host_.closing);
}

// A client on a busy machine reads late: everything was sent, with many messages per frame, before it opens a window
// for the first message.
TEST_F(AbuseTest, WindowUpdatesForWhatWasSentLongBeforeAreNoFlood) {
  constexpr int kMessages = 4000;
  Reply reply;
  host_.fake_handler.answer = [&](HttpRequest, Reply given) {
    given.Start(HttpResponse::Text(200, "application/grpc", "x"));
    reply = std::move(given);
  };
  const std::string half_of_all("\x3f\xff\xff\xff", 4);
  Feed(*session_, kGreeting + Frame(NGHTTP2_HEADERS, kEndHeaders | kEndStream, 1, kPost) +
                      Frame(NGHTTP2_WINDOW_UPDATE, 0, 0, half_of_all) +
                      Frame(NGHTTP2_WINDOW_UPDATE, 0, 1, half_of_all));
  for (int i = 0; i < kMessages; ++i) reply.Write(base::BufferSlice(base::Buffer::CopyOf(std::string(400, 'm'))));
  TakeAll(*session_);
  const std::string bytes("\0\0\1\x90", 4);
  const std::string updates = Frame(NGHTTP2_WINDOW_UPDATE, 0, 0, bytes) + Frame(NGHTTP2_WINDOW_UPDATE, 0, 1, bytes);
  for (int i = 0; i < kMessages; ++i) Feed(*session_, updates);
  EXPECT_EQ(last_goaway(), -1);
  EXPECT_FALSE(host_.closing);
}

TEST_F(AbuseTest, TimePaysForControlFrames) {
  Feed(*session_, kGreeting);
  for (int second = 1; second <= 60; ++second) {
    for (int i = 0; i < 90; ++i) Feed(*session_, Frame(NGHTTP2_PING, 0, 0, "12345678"));
    Tick(std::chrono::seconds(second));
    EXPECT_EQ(last_goaway(), -1) << second;
  }
}

TEST_F(AbuseTest, AHeaderBombIsRefusedWithoutKeepingIt) {
  // Puts one large field into the dynamic table, then refers to it many times by one byte each.
  std::string block = kGet + std::string("\x40\x01x\x7f\xa1\x1e", 6) + std::string(4000, 'y');
  block += std::string(12'000, '\xbe');
  EXPECT_EQ(GoawayFor(kGreeting + Frame(NGHTTP2_HEADERS, kEndHeaders | kEndStream, 1, block)), -1);
  EXPECT_EQ(host_.net_metrics.responses(431), 1);
  EXPECT_EQ(host_.fake_handler.requests, 0u);
}

TEST_F(AbuseTest, SilenceBeforeThePrefaceEnds) {
  Tick(std::chrono::seconds(9));
  EXPECT_EQ(last_goaway(), -1);
  Tick(std::chrono::seconds(11));
  EXPECT_EQ(last_goaway(), NGHTTP2_SETTINGS_TIMEOUT);
  EXPECT_TRUE(host_.closing);
}

TEST_F(AbuseTest, AnUnfinishedHeaderBlockEnds) {
  EXPECT_EQ(GoawayFor(kGreeting + Frame(NGHTTP2_HEADERS, kEndStream, 1, kGet)), -1);
  Tick(std::chrono::seconds(11));
  EXPECT_EQ(last_goaway(), NGHTTP2_ENHANCE_YOUR_CALM);
}

TEST_F(AbuseTest, AnIdleConnectionEndsQuietly) {
  Feed(*session_, kGreeting);
  Tick(std::chrono::seconds(74));
  EXPECT_EQ(last_goaway(), -1);
  Tick(std::chrono::seconds(76));
  EXPECT_EQ(last_goaway(), NGHTTP2_NO_ERROR);
  EXPECT_TRUE(host_.closing);
}

TEST_F(AbuseTest, ABodyThatStopsIs408) {
  FakePeer peer;
  const int32_t id = peer.Request("POST", "/p", {}, "some", false);
  peer.Exchange(*session_, host_);
  Tick(std::chrono::seconds(29));
  peer.Exchange(*session_, host_);
  EXPECT_EQ(peer[id].status(), 0);
  Tick(std::chrono::seconds(31));
  peer.Exchange(*session_, host_);
  EXPECT_EQ(peer[id].status(), 408);
  EXPECT_TRUE(peer[id].closed);
  EXPECT_EQ(host_.budget->used(), 0u);
}

TEST_F(AbuseTest, AWindowThatStaysShutEndsTheStream) {
  host_.fake_handler.answer = [](HttpRequest, Reply reply) {
    reply.Send(HttpResponse::Text(200, "", std::string(100'000, 'x')));
  };
  FakePeer peer(1000);
  const int32_t id = peer.Request("GET", "/p");
  peer.Exchange(*session_, host_);
  EXPECT_EQ(peer[id].body.size(), 1000u);
  Tick(std::chrono::seconds(31));
  peer.Exchange(*session_, host_);
  EXPECT_TRUE(peer[id].closed);
  EXPECT_EQ(peer[id].error_code, uint32_t{NGHTTP2_CANCEL});
  EXPECT_TRUE(session_->idle());
}

TEST_F(AbuseTest, APeerThatDoesNotReadIsCutOff) {
  std::vector<base::BufferSlice> out;
  session_->TakeOutput(out, 1000);  // and it is never written
  Tick(std::chrono::seconds(31));
  EXPECT_TRUE(host_.aborted);
}

TEST_F(AbuseTest, EveryTruncationAndManyGarbledInputsAreSurvived) {
  const std::string good = kGreeting + Frame(NGHTTP2_HEADERS, kEndHeaders, 1, kPost) +
                           Frame(NGHTTP2_DATA, kEndStream, 1, "ab") +
                           Frame(NGHTTP2_HEADERS, kEndHeaders | kEndStream, 3, kGet);
  for (size_t size = 0; size <= good.size(); ++size) {
    session_ = MakeSession(host_);
    Feed(*session_, std::string_view(good).substr(0, size));
    TakeAll(*session_);
    session_->OnEof();
    TakeAll(*session_);
    session_->OnClosed();
    host_.fake_loop.RunAll();
  }
  std::mt19937 random(11);
  for (int round = 0; round < 3000; ++round) {
    std::string bad = good;
    for (int i = 0; i < 4; ++i)
      bad[kPreface.size() + random() % (bad.size() - kPreface.size())] = static_cast<char>(random());
    session_ = MakeSession(host_);
    Feed(*session_, bad);
    TakeAll(*session_);
    host_.fake_loop.RunAll();
  }
  session_.reset();
  EXPECT_EQ(host_.net_metrics.in_flight(), 0);
  EXPECT_EQ(host_.budget->used(), 0u);
}

}  // namespace
}  // namespace inferd::net::http2
