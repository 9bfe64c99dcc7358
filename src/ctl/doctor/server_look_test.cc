#include "ctl/doctor/server_look.h"

#include <gmock/gmock.h>

#include "net/client/scripted_server.h"

namespace inferd::ctl {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Level = Finding::Level;

ServerLook GoodLook() {
  return {.url = "http://h:8000",
          .unreachable = {},
          .refused = {},
          .name = "inferd",
          .version = "1.0",
          .is_ready = true,
          .models = {{.name = "m", .version = "1", .state = "READY", .reason = ""}},
          .round_trip_ns = 1'000'000,
          .clock_ahead_s = 0};
}

Finding Of(const std::string& subject, const ServerLook& look, bool must_run = true) {
  for (Finding& finding : JudgeServer(look, must_run, "1.0")) {
    if (finding.subject == subject) return finding;
  }
  return {};
}

TEST(ServerLookTest, AGoodServerHasNothingToDo) {
  for (const Finding& finding : JudgeServer(GoodLook(), true, "1.0")) {
    EXPECT_EQ(finding.level, Level::kOk) << finding.subject << finding.found;
    EXPECT_EQ(finding.to_do, "");
  }
}

TEST(ServerLookTest, NoServerIsAProblemIfThePersonNamedOne) {
  ServerLook look = GoodLook();
  look.unreachable = "refused";
  EXPECT_EQ(Of("server", look).level, Level::kProblem);
  EXPECT_EQ(Of("server", look, false).level, Level::kOk);
}

TEST(ServerLookTest, AServerThatIsNotReadyOrSlow) {
  ServerLook look = GoodLook();
  look.round_trip_ns = 2'000'000'000;
  EXPECT_EQ(Of("server", look).level, Level::kAdvice);
  look.is_ready = false;
  EXPECT_EQ(Of("server", look).level, Level::kProblem);
}

TEST(ServerLookTest, OtherVersions) {
  ServerLook look = GoodLook();
  look.version = "2.0";
  EXPECT_EQ(Of("version", look).level, Level::kAdvice);
  look.name = "triton";
  EXPECT_EQ(Of("version", look).level, Level::kOk);
  look.refused = "HTTP 401";
  EXPECT_THAT(Of("version", look).found, HasSubstr("HTTP 401"));
}

TEST(ServerLookTest, ModelsThatFailedHaveTheirReasons) {
  ServerLook look = GoodLook();
  look.models.push_back({.name = "u", .version = "1", .state = "UNAVAILABLE", .reason = "unloaded"});
  EXPECT_EQ(Of("models", look).level, Level::kOk);
  for (int i = 0; i < 7; ++i) {
    look.models.push_back(
        {.name = "b" + std::to_string(i), .version = "", .state = "UNAVAILABLE", .reason = "why\x1b"});
  }
  const Finding finding = Of("models", look);
  EXPECT_EQ(finding.level, Level::kProblem);
  EXPECT_THAT(finding.found, HasSubstr("1 of 9 versions ready; b0: why\\x1b; b1: why"));
  EXPECT_THAT(finding.found, HasSubstr("and 2 more"));
}

TEST(ServerLookTest, ClocksThatDiffer) {
  ServerLook look = GoodLook();
  const auto at = [&](int64_t ahead_s) {
    look.clock_ahead_s = ahead_s;
    return Of("clock", look);
  };
  EXPECT_EQ(at(2).level, Level::kOk);
  EXPECT_THAT(at(-60).found, HasSubstr("60 s behind"));
  EXPECT_EQ(at(60).level, Level::kAdvice);
  EXPECT_EQ(at(3600).level, Level::kProblem);
  look.clock_ahead_s.reset();
  EXPECT_EQ(Of("clock", look).level, Level::kOk);
}

TEST(ServerLookTest, ReadsDates) {
  EXPECT_EQ(ParseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT"), 784111777);
  EXPECT_EQ(ParseHttpDate("Sun, 06 Foo 1994 08:49:37 GMT"), std::nullopt);
  EXPECT_EQ(ParseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT!"), std::nullopt);
  EXPECT_EQ(ParseHttpDate("Sunday, 06-Nov-94 08:49:37 GMT"), std::nullopt);
  EXPECT_EQ(ParseHttpDate(""), std::nullopt);
}

std::string Answer(int status, const std::string& headers, const std::string& body) {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\n" + headers + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

TEST(ServerLookTest, AsksAServer) {
  net::ScriptedServer scripted([](const std::string& request) {
    const std::string line = request.substr(0, request.find(" HTTP/"));
    if (line == "GET /v2") return Answer(200, "", R"({"name":"fake","version":"7","extensions":[]})");
    if (line == "GET /v2/health/live") return Answer(200, "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n", "");
    if (line == "GET /v2/health/ready") return Answer(400, "", "");
    return Answer(200, "", R"([{"name":"m","version":"1","state":"READY"}])");
  });
  V2Server server = V2Server::Open({.url = scripted.url()}).value();
  const ServerLook look = LookAtServer(server);
  EXPECT_EQ(look.unreachable, "");
  EXPECT_EQ(look.name, "fake");
  EXPECT_EQ(look.version, "7");
  EXPECT_FALSE(look.is_ready);
  EXPECT_EQ(look.models.size(), 1u);
  ASSERT_TRUE(look.clock_ahead_s.has_value());
  EXPECT_LT(*look.clock_ahead_s, -1'000'000'000);
}

TEST(ServerLookTest, NobodyAnswers) {
  V2Server server = V2Server::Open({.url = "http://127.0.0.1:1"}).value();
  EXPECT_NE(LookAtServer(server).unreachable, "");
}

}  // namespace
}  // namespace inferd::ctl
