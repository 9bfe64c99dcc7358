#include <string>
#include <utility>
#include <vector>

#include "net/http2/raw_peer_fixture.h"
#include "tests/support/recording_sink.h"

// Frames that RFC 9113 forbids, each with the error that it requires. Numbers are its sections, as h2spec has them.

namespace inferd::net::http2 {
namespace {

using namespace std::string_literals;

constexpr uint8_t kData = NGHTTP2_DATA, kHeaders = NGHTTP2_HEADERS, kPriority = NGHTTP2_PRIORITY,
                  kRstStream = NGHTTP2_RST_STREAM, kSettings = NGHTTP2_SETTINGS, kPushPromise = NGHTTP2_PUSH_PROMISE,
                  kPing = NGHTTP2_PING, kGoaway = NGHTTP2_GOAWAY, kWindowUpdate = NGHTTP2_WINDOW_UPDATE,
                  kContinuation = NGHTTP2_CONTINUATION, kAck = NGHTTP2_FLAG_ACK, kPrioritized = NGHTTP2_FLAG_PRIORITY;

struct Case {
  const char* what;
  std::string bytes;  // after the preface and SETTINGS
  int code;
};

class FramesTest : public RawPeerTest {
 protected:
  FramesTest() {
    host_.fake_handler.answer = [this](HttpRequest, Reply reply) { held_.push_back(std::move(reply)); };
  }
  // Expects each case to end its connection.
  void ExpectGoaway(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
      Restart();
      host_.closing = false;
      EXPECT_EQ(GoawayFor(kGreeting + c.bytes), c.code) << c.what;
      EXPECT_TRUE(host_.closing) << c.what;
    }
  }
  // Expects each case to end stream 1, and the connection to continue.
  void ExpectReset(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
      Restart();
      EXPECT_EQ(ResetFor(kGreeting + c.bytes), c.code) << c.what;
      EXPECT_EQ(last_goaway(), -1) << c.what;
      EXPECT_EQ(CountSent(kPing), 0u);
      Feed(*session_, Frame(kPing, 0, 0, "12345678"));
      EXPECT_EQ(TakeFrames().back().type, kPing) << c.what;
    }
  }
  static std::string Open(uint32_t stream, uint8_t flags = kEndHeaders) {
    return Frame(kHeaders, flags, stream, kPost);
  }
  static std::string Whole(uint32_t stream) { return Open(stream, kEndHeaders | kEndStream); }

  std::vector<Reply> held_;
};

TEST_F(FramesTest, SizesAndPadding) {
  ExpectGoaway({
      {"4.2 large DATA", Open(1) + Frame(kData, 0, 1, std::string(16'385, 'x')), NGHTTP2_FRAME_SIZE_ERROR},
      {"4.2 large PING", Frame(kPing, 0, 0, std::string(16'385, 'x')), NGHTTP2_FRAME_SIZE_ERROR},
      {"6.1 padding longer than the frame",
       Open(1) + Frame(kData, kPadded, 1,
                       "\x06"
                       "12345"),
       NGHTTP2_PROTOCOL_ERROR},
      {"6.2 padding longer than the frame", Frame(kHeaders, kEndHeaders | kPadded, 1, "\x20" + kPost),
       NGHTTP2_PROTOCOL_ERROR},
      {"6.4 RST_STREAM of 3 bytes", Open(1) + Frame(kRstStream, 0, 1, "\0\0\0"s), NGHTTP2_FRAME_SIZE_ERROR},
      {"6.5 SETTINGS of 3 bytes", Frame(kSettings, 0, 0, "\0\3\0"s), NGHTTP2_FRAME_SIZE_ERROR},
      {"6.5 ack with a payload", Frame(kSettings, kAck, 0, "\0\3\0\0\0\1"s), NGHTTP2_FRAME_SIZE_ERROR},
      {"6.7 PING of 6 bytes", Frame(kPing, 0, 0, "123456"), NGHTTP2_FRAME_SIZE_ERROR},
      {"6.9 WINDOW_UPDATE of 3 bytes", Frame(kWindowUpdate, 0, 0, "\0\0\1"s), NGHTTP2_FRAME_SIZE_ERROR},
  });
}

TEST_F(FramesTest, StreamsThatCannotBe) {
  ExpectGoaway({
      {"5.1 DATA on an idle stream", Frame(kData, 0, 1, "x"), NGHTTP2_PROTOCOL_ERROR},
      {"5.1 RST_STREAM on an idle stream", Frame(kRstStream, 0, 1, "\0\0\0\x8"s), NGHTTP2_PROTOCOL_ERROR},
      {"5.1 WINDOW_UPDATE on an idle stream", Frame(kWindowUpdate, 0, 1, "\0\0\0\1"s), NGHTTP2_PROTOCOL_ERROR},
      {"5.1 CONTINUATION on an idle stream", Frame(kContinuation, kEndHeaders, 1, kPost), NGHTTP2_PROTOCOL_ERROR},
      {"5.1.1 an even stream", Open(2), NGHTTP2_PROTOCOL_ERROR},
      {"6.1 DATA on stream 0", Frame(kData, 0, 0, "x"), NGHTTP2_PROTOCOL_ERROR},
      {"6.2 HEADERS on stream 0", Frame(kHeaders, kEndHeaders, 0, kPost), NGHTTP2_PROTOCOL_ERROR},
      {"6.4 RST_STREAM on stream 0", Frame(kRstStream, 0, 0, "\0\0\0\x8"s), NGHTTP2_PROTOCOL_ERROR},
      {"6.5 SETTINGS on a stream", Frame(kSettings, 0, 1, ""), NGHTTP2_PROTOCOL_ERROR},
      {"6.6 PUSH_PROMISE by a client", Open(1) + Frame(kPushPromise, kEndHeaders, 1, "\0\0\0\2"s + kGet),
       NGHTTP2_PROTOCOL_ERROR},
      {"6.7 PING on a stream", Frame(kPing, 0, 1, "12345678"), NGHTTP2_PROTOCOL_ERROR},
      {"6.8 GOAWAY on a stream", Frame(kGoaway, 0, 1, "\0\0\0\0\0\0\0\0"s), NGHTTP2_PROTOCOL_ERROR},
      {"6.10 CONTINUATION on stream 0", Frame(kContinuation, kEndHeaders, 0, kPost), NGHTTP2_PROTOCOL_ERROR},
  });
}

TEST_F(FramesTest, ClosedAndHalfClosedStreams) {
  ExpectGoaway({
      {"5.1 DATA behind END_STREAM", Whole(1) + Frame(kData, kEndStream, 1, "x"), NGHTTP2_STREAM_CLOSED},
      {"5.1 HEADERS behind END_STREAM", Whole(1) + Whole(1), NGHTTP2_STREAM_CLOSED},
      {"5.1 CONTINUATION behind END_HEADERS", Open(1) + Frame(kContinuation, kEndHeaders, 1, kPost),
       NGHTTP2_PROTOCOL_ERROR},
  });
}

TEST_F(FramesTest, FramesForAResetStreamAreDropped) {
  const std::string reset = Open(1) + Frame(kRstStream, 0, 1, "\0\0\0\x8"s);
  Restart();
  // 5.1: may have been sent before
  EXPECT_EQ(GoawayFor(kGreeting + reset + Frame(kWindowUpdate, 0, 1, "\0\0\0\1"s)), -1);
  EXPECT_TRUE(held_.empty());
}

TEST_F(FramesTest, HeaderBlocks) {
  const std::string begun = Frame(kHeaders, 0, 1, kPost);
  ExpectGoaway({
      {"4.3 DATA inside a header block", begun + Frame(kData, 0, 1, "x"), NGHTTP2_PROTOCOL_ERROR},
      {"4.3 PRIORITY inside a header block", begun + Frame(kPriority, 0, 1, "\0\0\0\0\1"s), NGHTTP2_PROTOCOL_ERROR},
      {"4.3 another stream inside a header block", begun + Open(3), NGHTTP2_PROTOCOL_ERROR},
      {"4.3 an unknown frame inside a header block", begun + Frame(0x16, 0, 1, ""), NGHTTP2_PROTOCOL_ERROR},
      {"4.3 CONTINUATION of another stream", begun + Frame(kContinuation, kEndHeaders, 3, ""), NGHTTP2_PROTOCOL_ERROR},
      {"RFC 7541, 2.3.3: no such index", Frame(kHeaders, kEndHeaders, 1, kPost + "\xc6"), NGHTTP2_COMPRESSION_ERROR},
      {"RFC 7541, 6.3: a table beyond the limit", Frame(kHeaders, kEndHeaders, 1, "\x3f\xe1\xff\x03" + kPost),
       NGHTTP2_COMPRESSION_ERROR},
      {"RFC 7541, 5.2: bad Huffman code", Frame(kHeaders, kEndHeaders, 1, kPost + "\x40\x81\xff\x01h"),
       NGHTTP2_COMPRESSION_ERROR},
      {"5.3.1 depending on itself", Frame(kHeaders, kEndHeaders | kPrioritized, 1, "\0\0\0\1\1"s + kPost),
       NGHTTP2_PROTOCOL_ERROR},
  });
}

TEST_F(FramesTest, Settings) {
  ExpectGoaway({
      {"6.5.2 ENABLE_PUSH 2", Frame(kSettings, 0, 0, "\0\2\0\0\0\2"s), NGHTTP2_PROTOCOL_ERROR},
      {"6.5.2 a window of 2^31", Frame(kSettings, 0, 0, "\0\4\x80\0\0\0"s), NGHTTP2_FLOW_CONTROL_ERROR},
      {"6.5.2 frames of 2^14 - 1", Frame(kSettings, 0, 0, "\0\5\0\0\x3f\xff"s), NGHTTP2_PROTOCOL_ERROR},
      {"6.5.2 frames of 2^24", Frame(kSettings, 0, 0, "\0\5\1\0\0\0"s), NGHTTP2_PROTOCOL_ERROR},
  });
  Restart();
  EXPECT_EQ(GoawayFor(kGreeting + Frame(kSettings, 0, 0, "\0\xff\0\0\0\1"s)), -1) << "6.5.2 an unknown one";
  EXPECT_EQ(GoawayFor(Frame(0x16, 0xff, 7, "extension")), -1) << "4.1 an unknown frame";
}

TEST_F(FramesTest, Windows) {
  ExpectGoaway({
      {"6.9 by nothing", Frame(kWindowUpdate, 0, 0, "\0\0\0\0"s), NGHTTP2_PROTOCOL_ERROR},
      {"6.9.1 the connection's overflows", Frame(kWindowUpdate, 0, 0, "\x7f\xff\xff\xff"), NGHTTP2_FLOW_CONTROL_ERROR},
  });
  ExpectReset({
      {"6.9.1 the stream's overflows", Open(1) + Frame(kWindowUpdate, 0, 1, "\x7f\xff\xff\xff"),
       NGHTTP2_FLOW_CONTROL_ERROR},
      {"6.9.2 the stream's overflows with a new setting",
       Open(1) + Frame(kWindowUpdate, 0, 1, "\x7f\xff\0\0"s) + Frame(kSettings, 0, 0, "\0\4\x7f\xff\xff\xff"s),
       NGHTTP2_FLOW_CONTROL_ERROR},
  });
}

TEST_F(FramesTest, MoreThanTheWindowAllows) {
  const auto record = std::make_shared<SinkRecord>();
  record->on_open = [&] { record->reply.PauseBody(); };
  host_.fake_handler.plan = [&](const RequestHead&) {
    BodyPlan plan;
    plan.sink = std::make_unique<RecordingSink>(record);
    return plan;
  };
  Feed(*session_, kGreeting + Frame(kSettings, kAck, 0, "") + Open(1));
  for (int i = 0; i < 128; ++i) Feed(*session_, Frame(kData, 0, 1, std::string(16'384, 'x')));
  EXPECT_EQ(ResetFor(""), -1);
  EXPECT_EQ(record->body.size(), size_t{2} << 20);
  EXPECT_EQ(ResetFor(Frame(kData, 0, 1, "x")), NGHTTP2_FLOW_CONTROL_ERROR);
  EXPECT_TRUE(record->calls.ends_with("gone "));
  session_.reset();
}

TEST_F(FramesTest, TheRequestHasWhatWasChosenByItsHead) {
  host_.fake_handler.plan = [](const RequestHead&) {
    BodyPlan plan;
    plan.choice = 7;
    return plan;
  };
  uint32_t choice = 0;
  host_.fake_handler.answer = [&choice](HttpRequest request, Reply reply) {
    choice = request.choice;
    reply.Send(HttpResponse::Text(200, "", ""));
  };
  Feed(*session_, kGreeting + Frame(kSettings, kAck, 0, "") + Open(1) + Frame(kData, kEndStream, 1, "x"));
  EXPECT_EQ(choice, 7u);
}

TEST_F(FramesTest, RequestsThatAreMalformed) {
  const std::string get("\x82\x84\x86", 3);  // :method GET, :path /, :scheme http
  const auto headers = [](const std::string& block) { return Frame(kHeaders, kEndHeaders | kEndStream, 1, block); };
  const std::vector<std::pair<const char*, std::string>> cases = {
      {"8.2.1 upper case", headers(get + Field("Upper", "x"))},
      {"8.2.1 a line end in a value", headers(get + Field("x", "a\nb"))},
      {"8.2.2 connection", headers(get + Field("connection", "keep-alive"))},
      {"8.2.2 transfer-encoding", headers(get + Field("transfer-encoding", "chunked"))},
      {"8.2.2 te", headers(get + Field("te", "trailers, deflate"))},
      {"8.3 an unknown pseudo field", headers(get + Field(":test", "x"))},
      {"8.3 a response's pseudo field", headers(get + Field(":status", "200"))},
      {"8.3 a pseudo field behind others", headers("\x82\x84"s + Field("x", "y") + "\x86")},
      {"8.3.1 an empty path", headers("\x82\x86"s + Field(":path", ""))},
      {"8.3.1 no method", headers("\x84\x86")},
      {"8.3.1 no scheme", headers("\x82\x84")},
      {"8.3.1 no path", headers("\x82\x86")},
      {"8.3.1 two methods", headers(get + "\x83")},
      {"8.3.1 two paths", headers(get + "\x84")},
      {"8.1 HEADERS that do not end the stream", Open(1) + Open(1)},
      {"8.1 a pseudo field in trailers", Open(1) + headers("\x82")},
      {"8.1.1 less than content-length",
       Frame(kHeaders, kEndHeaders, 1, kPost + Field("content-length", "2")) + Frame(kData, kEndStream, 1, "x")},
      {"8.1.1 more than content-length",
       Frame(kHeaders, kEndHeaders, 1, kPost + Field("content-length", "1")) + Frame(kData, kEndStream, 1, "xyz")},
      {"8.1.1 content-length and no body", headers(kPost + Field("content-length", "1"))},
  };
  for (const auto& [what, bytes] : cases) ExpectReset({{what, bytes, NGHTTP2_PROTOCOL_ERROR}});
  EXPECT_TRUE(held_.empty());
}

TEST_F(FramesTest, HeadersOfOldStreamsAreDroppedButCounted) {
  std::string bytes;
  for (int i = 0; i < 900; ++i) bytes += Whole(3);  // never used, hence closed (5.1.1)
  EXPECT_EQ(GoawayFor(kGreeting + Whole(5) + bytes), -1);
  EXPECT_EQ(held_.size(), 1u);
  EXPECT_EQ(GoawayFor(bytes), NGHTTP2_ENHANCE_YOUR_CALM);
}

TEST_F(FramesTest, PriorityIsReadAndIgnored) {
  Restart();
  EXPECT_EQ(GoawayFor(kGreeting + Frame(kPriority, 0, 1, "\0\0\0\3\1"s) + Whole(1)), -1);
  EXPECT_EQ(held_.size(), 1u);
}

TEST_F(FramesTest, PaddingIsPaidFor) {
  // The pad bytes count against the windows too, and are given back.
  std::string bytes = kGreeting + Open(1);
  Feed(*session_, bytes);
  for (int i = 0; i < 1000; ++i) {
    Feed(*session_, Frame(kData, kPadded, 1, "\xff" + std::string(16'000, 'x') + std::string(255, '\0')));
    TakeAll(*session_);
  }
  EXPECT_EQ(last_goaway(), -1);
}

}  // namespace
}  // namespace inferd::net::http2
