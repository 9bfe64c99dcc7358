#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <sstream>

#include "ctl/commands.h"
#include "net/client/scripted_server.h"

namespace inferd::ctl {
namespace {

std::string Answer(std::string_view body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

// A server for a model with two inputs. At a chosen inference request it sends a SIGINT to this process.
class BenchCommandTest : public ::testing::Test {
 protected:
  BenchCommandTest() { ::signal(SIGINT, SIG_DFL); }

  std::string Serve(const std::string& request) {
    if (!request.starts_with("POST")) {
      return Answer(R"({"name":"m","inputs":[{"name":"x","datatype":"INT32","shape":[8]},)"
                    R"({"name":"y","datatype":"INT32","shape":[8]}],"outputs":[]})");
    }
    if (++inferences_ == interrupt_at_) ::kill(::getpid(), SIGINT);
    return Answer("{}");
  }

  base::Status Run(const BenchArguments& arguments, bool json = false) {
    auto server = V2Server::Open({.url = server_.url()});
    return Bench(server.value(), arguments, {out_, json});
  }

  std::atomic<int> inferences_{0};
  std::atomic<int> interrupt_at_{0};
  std::ostringstream out_;
  net::ScriptedServer server_{[this](const std::string& request) { return Serve(request); }};
};

BenchArguments AnHour() {
  BenchArguments arguments;
  arguments.options.model = "m";
  arguments.warmup = std::chrono::milliseconds(0);
  arguments.duration = std::chrono::hours(1);
  return arguments;
}

TEST_F(BenchCommandTest, AnInterruptEndsItWithWhatWasMeasured) {
  for (const bool json : {false, true}) {
    out_.str("");
    interrupt_at_ = inferences_ + 5;
    EXPECT_EQ(Run(AnHour(), json).code(), base::StatusCode::kCancelled);
    const char* const partial = json ? "\"partial\": true" : "\npartial      interrupted before its 3600 s were over\n";
    EXPECT_NE(out_.str().find(partial), std::string::npos) << out_.str();
  }
  struct sigaction action{};
  ::sigaction(SIGINT, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
}

TEST_F(BenchCommandTest, ProgressIsALineEach) {
  std::ostringstream progress;
  BenchArguments arguments = AnHour();
  arguments.progress = &progress;
  interrupt_at_ = 5;
  EXPECT_EQ(Run(arguments).code(), base::StatusCode::kCancelled);
  EXPECT_NE(progress.str().find(" of 3600 s, "), std::string::npos) << progress.str();
  EXPECT_TRUE(progress.str().ends_with("/s\n")) << progress.str();
  EXPECT_EQ(out_.str().find("of 3600 s, "), std::string::npos) << out_.str();
}

TEST_F(BenchCommandTest, ProgressOnATerminalIsWrittenOver) {
  std::ostringstream progress;
  BenchArguments arguments = AnHour();
  arguments.warmup = std::chrono::hours(1);
  arguments.progress = &progress;
  arguments.progress_on_terminal = true;
  interrupt_at_ = 5;
  EXPECT_EQ(Run(arguments).code(), base::StatusCode::kCancelled);
  EXPECT_TRUE(progress.str().starts_with("\r\x1b[Kwarming up")) << progress.str();
  EXPECT_TRUE(progress.str().ends_with("\r\x1b[K")) << progress.str();
}

}  // namespace
}  // namespace inferd::ctl
