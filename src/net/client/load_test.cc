#include "net/client/load.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>

#include "net/client/http_load.h"
#include "net/client/scripted_server.h"

namespace inferd::net {
namespace {

using std::chrono::milliseconds;

LoadOptions Options(const ScriptedServer& server) {
  LoadOptions options;
  options.url = ParseUrl(server.url()).value();
  options.protocol = HttpLoad(options.url, {.method = "POST", .path = "/p", .body = std::string(100'000, 'x')});
  options.warmup = milliseconds(10);
  options.duration = milliseconds(400);
  return options;
}

TEST(LoadTest, ClosedLoopKeepsEveryConnectionBusy) {
  std::atomic<uint64_t> requests{0};
  ScriptedServer server([&](const std::string&) {
    ++requests;
    return "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  });
  LoadOptions options = Options(server);
  options.connections = 5;
  options.threads = 2;
  options.server_pid = ::getpid();
  const auto report = RunLoad(options);
  ASSERT_TRUE(report.has_value()) << report.error().ToString();
  EXPECT_GT(report->answered, 0u);
  EXPECT_LE(report->answered, requests.load());
  EXPECT_EQ(report->latency.count(), report->answered);
  EXPECT_EQ(report->refused + report->broken, 0u) << report->first_error;
  EXPECT_TRUE(report->server_cpu_ns.has_value());
  EXPECT_EQ(server.connections(), 5u);
}

TEST(LoadTest, OpenLoopSendsNoMoreThanTheRate) {
  ScriptedServer server([](const std::string&) { return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"; });
  LoadOptions options = Options(server);
  options.connections = 2;
  options.rate = 100;
  const auto report = RunLoad(options);
  ASSERT_TRUE(report.has_value());
  EXPECT_GT(report->answered, 0u);
  EXPECT_LE(report->answered, 42u);  // 410 ms at 100 per second
}

TEST(LoadTest, CountsRefusalsAndTellsTheFirst) {
  ScriptedServer server([](const std::string&) {
    return "HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\nContent-Length: 4\r\n\r\nfull";
  });
  LoadOptions options = Options(server);
  options.warmup = milliseconds(0);
  const auto report = RunLoad(options);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->answered, 0u);
  EXPECT_GT(report->refused, 0u);
  EXPECT_EQ(report->first_error, "HTTP 429: full");
}

TEST(LoadTest, StopsWhenNothingIsEverAnswered) {
  ScriptedServer server([](const std::string&) { return ""; });
  LoadOptions options = Options(server);
  options.connections = 3;
  options.warmup = milliseconds(0);
  const auto report = RunLoad(options);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->answered, 0u);
  EXPECT_EQ(report->broken, 3u);
}

TEST(LoadTest, AnUnreachableServerIsAnError) {
  LoadOptions options;
  {
    ScriptedServer server([](const std::string&) { return ""; });
    options = Options(server);
  }
  EXPECT_EQ(RunLoad(options).error().code(), base::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace inferd::net
