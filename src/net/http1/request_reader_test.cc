#include "net/http1/request_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "tests/support/fake_session_host.h"

namespace inferd::net::http1 {
namespace {

using Event = RequestReader::Event;

constexpr std::string_view kPlainGet = "GET /v2 HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view kPostOfHello = "POST /v2 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";

std::string Describe(const RequestHead& head) {
  std::string text = std::to_string(static_cast<int>(head.method)) + ' ' + std::string(head.method_text) + ' ' +
                     std::string(head.target) + " ?" + std::string(head.query) + " from " + std::string(head.peer) +
                     " id " + std::string(head.request_id) + " length " +
                     std::to_string(head.content_length.value_or(7)) + (head.http2 ? " http2" : "") +
                     (head.tls ? " tls" : "");
  for (const std::string_view segment : head.segments) text.append(" /").append(segment);
  for (const auto& [name, value] : head.headers) text.append(", ").append(name).append(": ").append(value);
  return text;
}

std::string Describe(RequestReader& reader) {
  const Framing& framing = reader.framing();
  return Describe(reader.request().head) + (framing.http10 ? " 1.0" : "") + (framing.keep_alive ? " kept" : "") +
         (framing.chunked ? " chunked" : "") + (framing.expect_continue ? " expects" : "") +
         (framing.upgrade_h2c ? " h2c" : "");
}

class Http1RequestReaderTest : public ::testing::Test {
 protected:
  // Reads a request without a body, and returns the memory of its head after the request's end.
  std::shared_ptr<const void> StoreOf(std::string_view text) {
    Put(text);
    EXPECT_EQ(reader_.Read(), Event::kHead);
    std::shared_ptr<const void> store = reader_.request().store;
    reader_.Next();
    return store;
  }
  bool Put(std::string_view text) {
    const std::span<std::byte> space = reader_.Space();
    EXPECT_GE(space.size(), text.size());
    std::memcpy(space.data(), text.data(), text.size());
    return reader_.Commit(text.size());
  }
  void BeginBody(uint64_t bytes_max = 1000) {
    reader_.BeginBody(Body(host_.bodies(), reader_.body_length(), bytes_max, 0));
  }

  FakeSessionHost host_;
  RequestReader reader_{host_, true};
};

TEST_F(Http1RequestReaderTest, ReadsOneRequestAfterTheOther) {
  Put(std::string(kPlainGet) + std::string(kPlainGet));
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(reader_.Read(), Event::kHead);
    EXPECT_EQ(reader_.request().head.target, "/v2");
    EXPECT_EQ(reader_.request().head.peer, "127.0.0.1:4242");
    EXPECT_EQ(reader_.request().head.local, "127.0.0.1:8000");
    EXPECT_FALSE(reader_.has_body());
    reader_.Hold();
    EXPECT_EQ(reader_.Read(), Event::kNone) << "one is executed";
    EXPECT_EQ(reader_.HasNext(), i == 0);
    reader_.Next();
  }
  EXPECT_EQ(reader_.Read(), Event::kNone);
}

TEST_F(Http1RequestReaderTest, WhatIsRepeatedIsOnlyCompared) {
  const std::shared_ptr<const void> first = StoreOf(kPlainGet);
  EXPECT_EQ(StoreOf(kPlainGet), first);
  const std::shared_ptr<const void> other = StoreOf("GET /v3 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_NE(other, first);
  EXPECT_NE(StoreOf(kPlainGet), first) << "another came between";
  const std::string padded =
      "GET /v2 HTTP/1.1\r\nHost: a\r\nX: " + std::string(RepeatedHead::kBytesMax, 'x') + "\r\n\r\n";
  EXPECT_NE(StoreOf(padded), StoreOf(padded)) << "it is long";
  const std::shared_ptr<const void> again = StoreOf(kPlainGet);
  reader_.Shrink();
  EXPECT_NE(StoreOf(kPlainGet), again) << "it gave its memory back";
}

// Earlier requests on a connection must not change a later one's meaning, however its bytes are cut.
TEST_F(Http1RequestReaderTest, AHeadMeansTheSameWhateverCameBefore) {
  static constexpr std::string_view kLines[] = {"GET /v2/models/a HTTP/1.1\r\nHost: a\r\n",
                                                "GET /v2/models/a HTTP/1.1\r\nHost: ab\r\n",
                                                "GET /v2/models/%61?x=1 HTTP/1.1\r\nHost: a\r\n",
                                                "GET /v2/models/a HTTP/1.0\r\n", "\r\nGET / HTTP/1.1\r\nHost: a\r\n"};
  static constexpr std::string_view kFields[] = {"", "X-Request-Id: 7\r\n", "Connection: close\r\n", "X: \r\n",
                                                 "Connection: keep-alive\r\n"};
  std::mt19937 random(20261127);
  const auto below = [&random](size_t bound) { return static_cast<size_t>(random()) % bound; };
  std::string before;
  for (int i = 0; i < 5000; ++i) {
    std::string text =
        std::string(kLines[below(5)]) + std::string(kFields[below(5)]) + std::string(kFields[below(3)]) + "\r\n";
    if (below(2) == 0 && !before.empty()) text = before;
    before = text;
    const size_t cut = below(3) == 0 ? below(text.size()) : 0;
    Put(text.substr(0, cut));
    if (cut > 0) {
      ASSERT_EQ(reader_.Read(), Event::kNone);
    }
    Put(text.substr(cut));
    ASSERT_EQ(reader_.Read(), Event::kHead) << text;
    RequestReader fresh(host_, true);
    std::memcpy(fresh.Space().data(), text.data(), text.size());
    ASSERT_TRUE(fresh.Commit(text.size()));
    ASSERT_EQ(fresh.Read(), Event::kHead);
    ASSERT_EQ(Describe(reader_), Describe(fresh));
    // Its memory moves with the request.
    const HttpRequest kept = std::move(reader_.request());
    reader_.Next();
    if (below(50) == 0) reader_.Shrink();
    ASSERT_EQ(Describe(kept.head), Describe(fresh.request().head));
    EXPECT_TRUE(reader_.input().empty());
  }
}

TEST_F(Http1RequestReaderTest, ReadsTheBodyIntoItsPlace) {
  Put(kPostOfHello.substr(0, kPostOfHello.size() - 5));
  ASSERT_EQ(reader_.Read(), Event::kHead);
  EXPECT_EQ(reader_.body_length(), 5u);
  BeginBody();
  EXPECT_EQ(reader_.Read(), Event::kNone);
  EXPECT_EQ(reader_.Space().size(), 5u);
  EXPECT_TRUE(Put("hello"));
  EXPECT_TRUE(reader_.input().empty());
  ASSERT_EQ(reader_.Read(), Event::kBody);
  EXPECT_EQ(reader_.TakeBody().view(), "hello");
}

TEST_F(Http1RequestReaderTest, ARefusedBodyIsDroppedBeforeTheNextRequest) {
  Put(std::string(kPostOfHello) + std::string(kPlainGet));
  ASSERT_EQ(reader_.Read(), Event::kHead);
  const std::optional<uint64_t> length = reader_.body_length();
  reader_.Next();
  reader_.DropBody(length, 0);
  EXPECT_EQ(reader_.Read(), Event::kDropped);
  EXPECT_EQ(reader_.state(), RequestReader::State::kHead);
  EXPECT_EQ(reader_.Read(), Event::kHead);
}

TEST_F(Http1RequestReaderTest, SaysWhyItRefuses) {
  Put("GET / HTTP/1.1\nHost: a\n\n");
  EXPECT_EQ(reader_.Read(), Event::kRefused);
  EXPECT_EQ(reader_.error().status, 400);
  RequestReader second(host_, false);
  const std::string_view wire = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  std::memcpy(second.Space().data(), wire.data(), wire.size());
  second.Commit(wire.size());
  EXPECT_EQ(second.Read(), Event::kRefused) << "it was not told to look for it";
  EXPECT_EQ(second.error().status, 505);
}

TEST_F(Http1RequestReaderTest, ABodyThatIsTooLargeIsRefusedWhereverItIsRead) {
  Put("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello");
  ASSERT_EQ(reader_.Read(), Event::kHead);
  EXPECT_EQ(reader_.body_length(), std::nullopt);
  BeginBody(4);
  EXPECT_EQ(reader_.Read(), Event::kRefused);
  EXPECT_EQ(reader_.error().status, 413);
  reader_.Stop();
  EXPECT_EQ(reader_.Read(), Event::kNone);
  EXPECT_TRUE(reader_.input().empty()) << "what follows is ignored";
  EXPECT_EQ(host_.budget->used(), 0u);
}

TEST_F(Http1RequestReaderTest, FindsThePrefaceOfHttp2) {
  Put("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nframes");
  EXPECT_EQ(reader_.Read(), Event::kHttp2);
  EXPECT_TRUE(reader_.input().text().starts_with("PRI * HTTP/2.0"));
}

TEST_F(Http1RequestReaderTest, EndsWhereThePeerIsDone) {
  reader_.OnEof();
  EXPECT_EQ(reader_.Read(), Event::kNone) << "nothing was begun";
  Put(kPostOfHello.substr(0, 10));
  EXPECT_EQ(reader_.Read(), Event::kEnd);
  Put(kPostOfHello.substr(10, kPostOfHello.size() - 12));
  ASSERT_EQ(reader_.Read(), Event::kHead);
  BeginBody();
  EXPECT_EQ(reader_.Read(), Event::kEnd);
}

}  // namespace
}  // namespace inferd::net::http1
