#include "net/payloadlog/http_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/client/scripted_server.h"

namespace inferd::payloadlog {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Status(int status) { return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: 0\r\n\r\n"; }

Payload Body() {
  Payload payload;
  payload.id = "7";
  payload.fields = {{"Content-Type", "application/json"}};
  payload.body.emplace_back(base::Buffer::CopyOf("one "));
  payload.body.emplace_back(base::Buffer::CopyOf("two"));
  return payload;
}

TEST(HttpSinkTest, PostsAPayloadAsAnEvent) {
  std::string seen;
  net::ScriptedServer server([&](const std::string& request) {
    seen = request;
    return Status(202);
  });
  auto sink = HttpSink::Create(server.url() + "/events", {.source = "s"}, std::chrono::seconds(30));
  ASSERT_TRUE(sink.has_value());
  EXPECT_TRUE((*sink)->Send(Body()).ok());
  EXPECT_THAT(seen, AllOf(StartsWith("POST /events HTTP/1.1\r\n"), HasSubstr("Content-Type: application/json\r\n"),
                          HasSubstr("Ce-Id: 7\r\n"), HasSubstr("Content-Length: 7\r\n"), EndsWith("\r\n\r\none two")));
}

TEST(HttpSinkTest, SaysWhatMayBeTriedAgain) {
  for (const auto& [status, code] :
       {std::pair(200, base::StatusCode::kOk), std::pair(204, base::StatusCode::kOk),
        std::pair(400, base::StatusCode::kFailedPrecondition), std::pair(302, base::StatusCode::kFailedPrecondition),
        std::pair(408, base::StatusCode::kUnavailable), std::pair(429, base::StatusCode::kUnavailable),
        std::pair(500, base::StatusCode::kUnavailable)}) {
    net::ScriptedServer server([status = status](const std::string&) { return Status(status); });
    auto sink = HttpSink::Create(server.url(), {.source = "s"}, std::chrono::seconds(30));
    EXPECT_EQ((*sink)->Send(Body()).code(), code) << status;
  }
  net::ScriptedServer closing([](const std::string&) { return std::string(); });
  auto sink = HttpSink::Create(closing.url(), {.source = "s"}, std::chrono::seconds(30));
  EXPECT_EQ((*sink)->Send(Body()).code(), base::StatusCode::kUnavailable);
}

TEST(HttpSinkTest, AUrlThatIsNoneIsRefused) {
  EXPECT_FALSE(HttpSink::Create("ftp://x", {.source = "s"}, std::chrono::seconds(1)).has_value());
}

}  // namespace
}  // namespace inferd::payloadlog
