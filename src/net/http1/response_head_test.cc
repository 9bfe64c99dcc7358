#include "net/http1/response_head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::net::http1 {
namespace {

std::string Write(const HttpResponse& response, const ResponseFraming& framing) {
  std::string out;
  ResponseHeadWriter().Write(response, framing, out);
  return out;
}

TEST(ResponseHeadTest, WritesStatusDateAndLength) {
  ResponseFraming framing;
  framing.content_length = 12;
  EXPECT_THAT(Write(HttpResponse::Text(200, "text/plain", ""), framing),
              ::testing::MatchesRegex("HTTP/1.1 200 OK\r\nDate: [A-Z][a-z][a-z], [0-9][0-9] [A-Z][a-z][a-z] [0-9]+ "
                                      "[0-9][0-9]:[0-9][0-9]:[0-9][0-9] GMT\r\nContent-Type: text/plain\r\n"
                                      "Content-Length: 12\r\n\r\n"));
}

TEST(ResponseHeadTest, SaysHowTheBodyEndsAndWhetherTheConnectionDoes) {
  ResponseFraming framing;
  framing.chunked = true;
  framing.close = true;
  const std::string text = Write(HttpResponse::Text(404, "", ""), framing);
  EXPECT_THAT(text, ::testing::StartsWith("HTTP/1.1 404 Not Found\r\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"));
  framing = {};
  framing.http10 = true;
  EXPECT_THAT(Write(HttpResponse::Text(599, "", ""), framing),
              ::testing::EndsWith("GMT\r\nConnection: keep-alive\r\n\r\n"));
}

TEST(ResponseHeadTest, RepeatsTheRequestsId) {
  EXPECT_THAT(Write(HttpResponse::Text(200, "", ""), {.content_length = 0, .request_id = "7f-1"}),
              ::testing::EndsWith("GMT\r\nX-Request-Id: 7f-1\r\nContent-Length: 0\r\n\r\n"));
  EXPECT_THAT(Write(HttpResponse::Text(200, "", ""), {.content_length = 0}),
              ::testing::Not(::testing::HasSubstr("X-Request-Id")));
}

TEST(ResponseHeadTest, HasTheHandlersHeadersBesidesItsOwn) {
  const HeaderList more = {{"Vary", "Origin"}, {"X", "y"}};
  HttpResponse response;
  response.headers = {{"Vary", "Accept-Encoding"}};
  EXPECT_THAT(Write(response, {.content_length = 0, .answer_headers = &more}),
              ::testing::EndsWith("GMT\r\nVary: Accept-Encoding\r\nVary: Origin\r\nX: y\r\nContent-Length: 0\r\n\r\n"));
}

TEST(ResponseHeadTest, NothingInAHeaderEndsItsLine) {
  HttpResponse response;
  response.headers.emplace_back("X", std::string("a\r\nSet-Cookie: b\0c", 18));
  EXPECT_THAT(Write(response, {}), ::testing::HasSubstr("\r\nX: a  Set-Cookie: b c\r\n"));
}

}  // namespace
}  // namespace inferd::net::http1
