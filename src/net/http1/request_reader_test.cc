#include "net/http1/request_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "tests/support/fake_session_host.h"

namespace inferd::net::http1 {
namespace {

using Event = RequestReader::Event;
using State = RequestReader::State;

constexpr std::string_view kPlainGet = "GET /v2 HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view kPostOfHello = "POST /v2 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";

class Http1RequestReaderTest : public ::testing::Test {
 protected:
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
    EXPECT_FALSE(reader_.has_body());
    reader_.Hold();
    EXPECT_EQ(reader_.Read(), Event::kNone) << "one is executed";
    EXPECT_EQ(reader_.HasNext(), i == 0);
    reader_.Next();
  }
  EXPECT_EQ(reader_.Read(), Event::kNone);
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
  EXPECT_EQ(reader_.state(), State::kHead);
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
