#include "net/client/http_client.h"

#include <gtest/gtest.h>

#include "net/client/scripted_server.h"

namespace inferd::net {
namespace {

using base::StatusCode;

std::unique_ptr<HttpClient> ClientOf(const ScriptedServer& server, HttpClient::Options options = {}) {
  options.url = server.url();
  return HttpClient::Create(std::move(options)).value();
}

TEST(HttpClientTest, SendsWhatItIsGivenAndReturnsWhatComes) {
  std::string seen;
  ScriptedServer server([&](const std::string& request) {
    seen = request;
    return "HTTP/1.1 409 Conflict\r\nX-Thing: a: b\r\nContent-Length: 4\r\n\r\nbody";
  });
  const auto client = ClientOf(server);
  const auto response = client->Call({.method = "POST",
                                      .path = "/v2/x%20y",
                                      .headers = {{"A-b", "c"}, {"Empty", ""}},
                                      .body = std::string("\0{}", 3)});
  ASSERT_TRUE(response.has_value()) << response.error().ToString();
  EXPECT_EQ(response->status, 409);
  EXPECT_EQ(response->Find("x-thing"), "a: b");
  EXPECT_EQ(response->Find("none"), std::nullopt);
  EXPECT_EQ(response->body, "body");
  EXPECT_TRUE(seen.starts_with("POST /v2/x%20y HTTP/1.1\r\n")) << seen;
  EXPECT_NE(seen.find("\r\nA-b: c\r\n"), std::string::npos) << seen;
  EXPECT_NE(seen.find("\r\nEmpty:"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("Content-Type"), std::string::npos) << seen;
  EXPECT_TRUE(seen.ends_with(std::string("\r\n\r\n\0{}", 7))) << seen;
}

TEST(HttpClientTest, KeepsItsConnectionAndReadsChunks) {
  ScriptedServer server([](const std::string&) {
    return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
  });
  const auto client = ClientOf(server);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client->Call({}).value().body, "abcde");
  EXPECT_EQ(server.connections(), 1u);
}

TEST(HttpClientTest, HeadHasNoBody) {
  ScriptedServer server([](const std::string&) { return "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"; });
  EXPECT_EQ(ClientOf(server)->Call({.method = "HEAD"}).value().body, "");
}

TEST(HttpClientTest, RefusesATooLargeResponse) {
  ScriptedServer server([](const std::string&) { return "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789"; });
  EXPECT_EQ(ClientOf(server, {.body_bytes_max = 10})->Call({}).value().body.size(), 10u);
  EXPECT_EQ(ClientOf(server, {.body_bytes_max = 9})->Call({}).error().code(), StatusCode::kResourceExhausted);
}

TEST(HttpClientTest, SaysWhyThereIsNoAnswer) {
  std::string url;
  {
    ScriptedServer server([](const std::string&) { return ""; });
    url = server.url();
    EXPECT_EQ(ClientOf(server)->Call({}).error().code(), StatusCode::kUnavailable);
  }
  const auto refused = HttpClient::Create({.url = url}).value()->Call({});
  EXPECT_EQ(refused.error().code(), StatusCode::kUnavailable);
  EXPECT_NE(refused.error().message().find("onnect"), std::string::npos) << refused.error().message();
  EXPECT_EQ(HttpClient::Create({.url = "ftp://x"}).error().code(), StatusCode::kInvalidArgument);
}

TEST(HttpClientTest, GivesUpInTime) {
  ScriptedServer server([](const std::string&) { return "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"; });
  const auto response = ClientOf(server, {.timeout = std::chrono::milliseconds(50)})->Call({});
  EXPECT_EQ(response.error().code(), StatusCode::kDeadlineExceeded);
}

}  // namespace
}  // namespace inferd::net
