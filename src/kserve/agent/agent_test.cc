#include "kserve/agent/agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "kserve/agent/await_ready.h"
#include "net/client/http_client.h"
#include "net/client/scripted_server.h"

namespace inferd::agent {
namespace {

using net::ScriptedServer;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string Answer(std::string_view body, std::string_view status = "200 OK") {
  return "HTTP/1.1 " + std::string(status) +
         "\r\nContent-Type: text/plain\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

class AgentTest : public ::testing::Test {
 protected:
  AgentTest() {
    options_.address = "127.0.0.1";
    options_.port = 0;
    options_.metrics_port = 0;
    options_.drain_grace = std::chrono::milliseconds(0);
    options_.component.port = component_.port();
  }
  void Start() {
    auto agent = Agent::Start(options_, *logger_);
    ASSERT_TRUE(agent.has_value()) << agent.error().message();
    agent_ = *std::move(agent);
    client_ = *net::HttpClient::Create({.url = "http://127.0.0.1:" + std::to_string(agent_->port("http"))});
  }
  net::ClientResponse Ask(std::string path, std::vector<std::pair<std::string, std::string>> headers = {},
                          std::string body = "") {
    const auto answer = client_->Call({.method = body.empty() ? "GET" : "POST",
                                       .path = std::move(path),
                                       .headers = std::move(headers),
                                       .body = std::move(body)});
    EXPECT_TRUE(answer.has_value());
    return answer.value_or(net::ClientResponse());
  }

  ScriptedServer component_{[this](const std::string& request) {
    const std::lock_guard lock(mutex_);
    seen_.push_back(request);
    return request.starts_with("GET /bad") ? Answer("no", "500 Bad") : Answer("pong");
  }};
  std::mutex mutex_;
  std::vector<std::string> seen_;
  AgentOptions options_;
  const std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  std::unique_ptr<Agent> agent_;
  std::unique_ptr<net::HttpClient> client_;
};

TEST_F(AgentTest, RequestsPassToTheComponent) {
  Start();
  EXPECT_EQ(Ask("/v1/models/m:predict?x=1", {}, "ping").body, "pong");
  EXPECT_THAT(seen_.at(0), AllOf(HasSubstr("POST /v1/models/m:predict?x=1 "), HasSubstr("\r\n\r\nping")));
  EXPECT_EQ(Ask("/bad").status, 500);
}

TEST_F(AgentTest, AComponentThatIsAwayIsAnswered503) {
  {
    const ScriptedServer gone([](const std::string&) { return Answer(""); });
    options_.component.port = gone.port();
  }
  Start();
  EXPECT_EQ(Ask("/v1/models/m").status, 503);
  EXPECT_EQ(Ask("/", {{"K-Network-Probe", "queue"}}).status, 503);
}

TEST_F(AgentTest, ProbesAreAnsweredByALookAtTheComponent) {
  Start();
  const net::ClientResponse ready = Ask("/", {{"K-Network-Probe", "queue"}});
  EXPECT_EQ(ready.status, 200);
  EXPECT_EQ(ready.body, "queue");
  EXPECT_EQ(Ask("/", {{"K-Network-Probe", "other"}}).status, 400);
  EXPECT_TRUE(seen_.empty());
}

TEST_F(AgentTest, ProbesAskTheComponentWhereTheySaySo) {
  options_.readiness_probe = R"({"httpGet":{"path":"/ready"}})";
  Start();
  EXPECT_EQ(Ask("/", {{"K-Network-Probe", "queue"}}).status, 200);
  EXPECT_THAT(seen_.at(0), HasSubstr("GET /ready HTTP/1.1\r\nHost: 127.0.0.1:"));
  EXPECT_TRUE(AwaitReady(agent_->port("http"), std::chrono::seconds(60)).ok());
  options_.readiness_probe = R"({"httpGet":{"path":"/bad"}})";
  Start();
  EXPECT_EQ(Ask("/", {{"K-Network-Probe", "queue"}}).status, 503);
  EXPECT_EQ(AwaitReady(agent_->port("http"), std::chrono::seconds(0)).code(), base::StatusCode::kDeadlineExceeded);
}

TEST_F(AgentTest, PayloadsAreLoggedAndProbesAreNot) {
  std::vector<std::string> events;
  ScriptedServer sink([&](const std::string& request) {
    events.push_back(request);
    return Answer("");
  });
  options_.logger.url = sink.url();
  options_.logger.workers = 1;
  options_.logger.inference_service = "iris";
  Start();
  Ask("/v1/models/m:predict", {{"Ce-Id", "7"}}, "ping");
  Ask("/v1/models/m");
  Ask("/", {{"K-Network-Probe", "queue"}});
  Ask("/v1/models/m", {{"User-Agent", "kube-probe/1.26"}}, "probe");
  agent_->Drain();
  agent_.reset();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_THAT(events[0],
              AllOf(HasSubstr("Ce-Type: org.kubeflow.serving.inference.request\r\n"), HasSubstr("Ce-Id: 7\r\n"),
                    HasSubstr("Ce-Inferenceservicename: iris\r\n"), HasSubstr("\r\n\r\nping")));
  EXPECT_THAT(events[1], AllOf(HasSubstr("Ce-Type: org.kubeflow.serving.inference.response\r\n"),
                               HasSubstr("Ce-Id: 7\r\n"), HasSubstr("\r\n\r\npong")));
}

TEST_F(AgentTest, WrongOptionsAreSaid) {
  options_.readiness_probe = "x";
  EXPECT_THAT(Agent::Start(options_, *logger_).error().message(), HasSubstr("SERVING_READINESS_PROBE: JSON at byte 0"));
  options_.readiness_probe = "";
  options_.logger.url = "ftp://x";
  EXPECT_THAT(Agent::Start(options_, *logger_).error().message(), HasSubstr("--log-url: "));
}

}  // namespace
}  // namespace inferd::agent
