#include "ctl/bench/load/load.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <limits>
#include <vector>

#include "ctl/bench/load/http_load.h"
#include "net/client/scripted_server.h"

namespace inferd::ctl {
namespace {

using std::chrono::milliseconds;

LoadOptions Options(const net::ScriptedServer& server) {
  LoadOptions options;
  options.url = net::ParseUrl(server.url()).value();
  options.protocol = HttpLoad(options.url, {.method = "POST", .path = "/p", .body = std::string(100'000, 'x')});
  options.warmup = milliseconds(10);
  options.duration = milliseconds(400);
  return options;
}

TEST(LoadTest, ClosedLoopKeepsEveryConnectionBusy) {
  std::atomic<uint64_t> requests{0};
  net::ScriptedServer server([&](const std::string&) {
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
  EXPECT_EQ(report->completed, report->answered);
  EXPECT_EQ(report->refused + report->broken, 0u) << report->first_error;
  EXPECT_TRUE(report->server_cpu_ns.has_value());
  EXPECT_EQ(server.connections(), 5u);
}

TEST(LoadTest, OpenLoopSendsNoMoreThanTheRate) {
  net::ScriptedServer server([](const std::string&) { return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"; });
  LoadOptions options = Options(server);
  options.connections = 2;
  options.rate = 100;
  const auto report = RunLoad(options);
  ASSERT_TRUE(report.has_value());
  EXPECT_GT(report->answered, 0u);
  EXPECT_LE(report->answered, 42u);  // 410 ms at 100 per second
}

TEST(LoadTest, OpenLoopCountsWhateverWasDue) {
  net::ScriptedServer server([](const std::string&) { return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"; });
  LoadOptions options = Options(server);
  options.connections = 3;
  options.threads = 2;
  options.rate = 100;
  options.warmup = milliseconds(0);
  options.drain = milliseconds(60'000);  // not reached: the load ends with the last response
  const auto report = RunLoad(options);
  ASSERT_TRUE(report.has_value());
  EXPECT_GT(report->due, 0u);
  EXPECT_LE(report->due, 40u);
  EXPECT_EQ(report->answered, report->due);
  EXPECT_LE(report->completed, report->answered);
  EXPECT_EQ(report->lag.count(), report->due);
  EXPECT_GT(report->cpu_share, 0);
  EXPECT_GT(report->busiest_thread, 0);
}

TEST(LoadTest, OpenLoopCountsWhatWasNeverSentOrAnswered) {
  std::atomic<bool> first{true};
  std::promise<void> release;
  net::ScriptedServer server([&, released = release.get_future().share()](const std::string&) {
    if (!first.exchange(false)) released.wait();
    return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  });
  LoadOptions options = Options(server);
  options.rate = 1000;
  options.arrivals = Arrivals::Kind::kPoisson;
  options.warmup = milliseconds(0);
  options.drain = milliseconds(10);
  const auto report = RunLoad(options);
  release.set_value();
  ASSERT_TRUE(report.has_value());
  EXPECT_LE(report->answered, 1u);
  EXPECT_GT(report->due, 10u);
}

TEST(LoadTest, TheRateHasABound) {
  net::ScriptedServer server([](const std::string&) { return ""; });
  LoadOptions options = Options(server);
  for (const double rate : {-1.0, 1e8, std::numeric_limits<double>::quiet_NaN()}) {
    options.rate = rate;
    EXPECT_EQ(RunLoad(options).error().code(), base::StatusCode::kInvalidArgument) << rate;
  }
}

TEST(LoadTest, CountsRefusalsAndTellsTheFirst) {
  net::ScriptedServer server([](const std::string&) {
    return "HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\nContent-Length: 4\r\n\r\nfull";
  });
  LoadOptions options = Options(server);
  options.warmup = milliseconds(0);
  const auto report = RunLoad(options);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->answered, 0u);
  EXPECT_GT(report->refused, 0u);
  EXPECT_EQ(report->first_error, "HTTP 429: full");
  EXPECT_EQ(report->refused_as, (std::map<std::string, uint64_t>{{"HTTP 429", report->refused}}));
}

TEST(LoadTest, StopsWhenNothingIsEverAnswered) {
  net::ScriptedServer server([](const std::string&) { return ""; });
  LoadOptions options = Options(server);
  options.connections = 3;
  options.warmup = milliseconds(0);
  const auto report = RunLoad(options);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->answered, 0u);
  EXPECT_EQ(report->broken, 3u);
}

TEST(LoadTest, IsStoppedBeforeItsTimeIsOver) {
  for (const double rate : {0.0, 1000.0}) {
    std::atomic<uint64_t> requests{0};
    std::atomic<bool> stop{false};
    net::ScriptedServer server([&](const std::string&) {
      if (++requests == 10) stop = true;
      return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    });
    LoadOptions options = Options(server);
    options.connections = 3;
    options.threads = 2;
    options.rate = rate;
    options.warmup = milliseconds(0);
    options.duration = std::chrono::hours(1);
    options.stop = &stop;
    const auto report = RunLoad(options);
    ASSERT_TRUE(report.has_value()) << report.error().ToString();
    EXPECT_TRUE(report->stopped);
    EXPECT_GT(report->completed, 0u);
    EXPECT_GT(report->seconds, 0);
    EXPECT_LT(report->seconds, 3600);
    EXPECT_EQ(report->broken, 0u) << report->first_error;
  }
}

TEST(LoadTest, StoppedWhileItWarmsUpItHasMeasuredNothing) {
  const std::atomic<bool> stop{true};
  net::ScriptedServer server([](const std::string&) { return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"; });
  LoadOptions options = Options(server);
  options.warmup = std::chrono::hours(1);
  options.stop = &stop;
  const auto report = RunLoad(options);
  ASSERT_TRUE(report.has_value());
  EXPECT_TRUE(report->stopped);
  EXPECT_EQ(report->completed, 0u);
  EXPECT_EQ(report->seconds, 0);
  EXPECT_EQ(report->PerSecond(), 0);
}

TEST(LoadTest, TellsHowFarItIs) {
  net::ScriptedServer server([](const std::string&) { return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"; });
  for (const auto warmup : {std::chrono::hours(1), std::chrono::hours(0)}) {
    std::atomic<bool> stop{false};
    std::vector<LoadProgress> progress;
    LoadOptions options = Options(server);
    options.warmup = warmup;
    options.duration = std::chrono::hours(1);
    options.stop = &stop;
    options.progress = [&](const LoadProgress& now) {
      progress.push_back(now);
      stop = now.warming_up || now.completed > 0;
    };
    const auto report = RunLoad(options);
    ASSERT_TRUE(report.has_value());
    ASSERT_FALSE(progress.empty());
    const LoadProgress& last = progress.back();
    EXPECT_EQ(last.warming_up, warmup.count() > 0);
    EXPECT_EQ(last.seconds > 0, warmup.count() == 0);
    EXPECT_LE(last.completed, report->completed);
  }
}

TEST(LoadTest, ReportsOfSeveralTimesCountAsOne) {
  LoadReport report;
  LoadReport part;
  part.answered = part.completed = 30;
  part.seconds = 1;
  part.server_cpu_ns = 500;
  part.cpu_share = 0.2;
  part.latency.Record(1000);
  report.Append(part);
  part.completed = 10;
  part.seconds = 3;
  part.cpu_share = 0.6;
  part.first_error = "late";
  report.Append(part);
  EXPECT_DOUBLE_EQ(report.PerSecond(), 10);
  EXPECT_EQ(report.answered, 60u);
  EXPECT_EQ(report.latency.count(), 2u);
  EXPECT_EQ(report.server_cpu_ns, 1000);
  EXPECT_DOUBLE_EQ(report.cpu_share, 0.5);
  EXPECT_EQ(report.first_error, "late");
}

TEST(LoadTest, AnUnreachableServerIsAnError) {
  LoadOptions options;
  {
    net::ScriptedServer server([](const std::string&) { return ""; });
    options = Options(server);
  }
  EXPECT_EQ(RunLoad(options).error().code(), base::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace inferd::ctl
