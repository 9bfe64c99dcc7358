#include "net/upstream/response_head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::net::upstream {
namespace {

using Body = ResponseFraming::Body;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

struct Good {
  std::string_view text;
  bool to_head;
  int status;
  Body body;
  bool keep_alive;
};

class GoodHeadTest : public ::testing::TestWithParam<Good> {};

TEST_P(GoodHeadTest, SaysHowItsBodyEnds) {
  ResponseHead head;
  const auto framing = ParseResponseHead(GetParam().text, GetParam().to_head, head);
  ASSERT_TRUE(framing.has_value()) << framing.error();
  EXPECT_EQ(head.status, GetParam().status);
  EXPECT_EQ(framing->body, GetParam().body);
  EXPECT_EQ(framing->keep_alive, GetParam().keep_alive);
}

INSTANTIATE_TEST_SUITE_P(
    Heads, GoodHeadTest,
    ::testing::Values(
        Good{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", false, 200, Body::kLength, true},
        Good{"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", false, 200, Body::kNone, true},
        Good{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", false, 200, Body::kChunked, true},
        Good{"HTTP/1.1 200 OK\r\n\r\n", false, 200, Body::kUntilClose, false},
        Good{"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\n", false, 200, Body::kLength, false},
        Good{"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n", false, 200, Body::kLength, false},
        Good{"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\n", false, 200, Body::kLength, true},
        Good{"HTTP/1.1 204 No Content\r\n\r\n", false, 204, Body::kNone, true},
        Good{"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", false, 304, Body::kNone, true},
        Good{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", true, 200, Body::kNone, true},
        Good{"HTTP/1.1 100 Continue\r\n\r\n", false, 100, Body::kNone, true}));

TEST(ResponseHeadTest, FieldsOfTheConnectionStayBehind) {
  ResponseHead head;
  const auto framing = ParseResponseHead(
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: X-Hop, keep-alive\r\nX-Hop: 1\r\nKeep-Alive: "
      "timeout=5\r\nContent-Length: 2\r\nX-Empty:\r\n\r\n",
      false, head);
  ASSERT_TRUE(framing.has_value()) << framing.error();
  EXPECT_THAT(head.fields, ElementsAre(Pair("Content-Type", "text/plain"), Pair("X-Empty", "")));
  EXPECT_EQ(head.content_length, 2u);
}

class BadHeadTest : public ::testing::TestWithParam<std::pair<std::string_view, std::string_view>> {};

TEST_P(BadHeadTest, IsRefused) {
  ResponseHead head;
  const auto framing = ParseResponseHead(GetParam().first, false, head);
  ASSERT_FALSE(framing.has_value());
  EXPECT_THAT(framing.error(), HasSubstr(GetParam().second));
}

INSTANTIATE_TEST_SUITE_P(
    Heads, BadHeadTest,
    ::testing::Values(std::pair("HTTP/2 200 OK\r\n\r\n", "status line"),
                      std::pair("HTTP/1.1 20 OK\r\n\r\n", "status line"),
                      std::pair("HTTP/1.1 2000 OK\r\n\r\n", "status line"),
                      std::pair("HTTP/1.1 099 OK\r\n\r\n", "status line"), std::pair("200 OK\r\n\r\n", "status line"),
                      std::pair("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", "Content-Length"),
                      std::pair("HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\n", "Content-Length"),
                      std::pair("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "Content-Length"),
                      std::pair("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
                                "Transfer-Encoding"),
                      std::pair("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "Transfer-Encoding"),
                      std::pair("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
                                "Transfer-Encoding"),
                      std::pair("HTTP/1.1 200 OK\r\nX : 1\r\n\r\n", "header name"),
                      std::pair("HTTP/1.1 200 OK\r\n X: 1\r\n\r\n", "folded"),
                      std::pair("HTTP/1.1 200 OK\r\nX\r\n\r\n", "header line"),
                      std::pair("HTTP/1.1 200 OK\r\nX: a\x01\r\n\r\n", "value")));

}  // namespace
}  // namespace inferd::net::upstream
