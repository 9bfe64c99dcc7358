#include "kserve/agent/batcher/batching_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <mutex>

#include "base/mix_bits.h"
#include "net/client/fake_closing_server.h"
#include "net/client/http_client.h"
#include "net/client/scripted_server.h"
#include "net/server.h"
#include "tests/support/raw_client.h"

namespace inferd::agent {
namespace {

using net::ScriptedServer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

std::string Http(std::string_view body, std::string_view status = "200 OK") {
  return "HTTP/1.1 " + std::string(status) +
         "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

class PassingHandler final : public net::HttpHandler {
 public:
  net::BodyPlan OnHead(const net::RequestHead&) override { return {}; }
  void OnRequest(net::HttpRequest, net::Reply reply) override {
    reply.Send(net::HttpResponse::Text(200, "text/plain", "passed"));
  }
};

// The component doubles each number, and answers a negative number with an error.
class BatchingHandlerTest : public ::testing::Test {
 protected:
  BatchingHandlerTest() {
    options_.instances_max = 4;
    options_.latency_max = std::chrono::seconds(600);
  }
  ~BatchingHandlerTest() override {
    if (server_ != nullptr) server_->Stop();
  }

  void Start() {
    // Keeps all requests on one loop, even if a busy machine delays it.
    net::Limits limits;
    limits.loop_held_after = std::chrono::hours(1);
    server_ = std::make_unique<net::Server>(loops_, limits, nullptr, *logger_);
    net::ListenerOptions listener;
    listener.name = "http";
    listener.address = "127.0.0.1";
    listener.handlers = [this](net::Loop& loop) {
      return MakeBatchingHandler(
          options_,
          *net::upstream::Address::Parse("127.0.0.1:" + std::to_string(model_port_ != 0 ? model_port_ : model_.port())),
          static_cast<net::EventLoop&>(loop), std::make_unique<PassingHandler>());
    };
    ASSERT_TRUE(server_->Listen(std::move(listener)).ok());
  }

  std::string Answer(const std::string& request) {
    const std::string body = request.substr(request.find("\r\n\r\n") + 4);
    std::unique_lock lock(mutex_);
    seen_.push_back(request.substr(0, request.find(' ', 5)) + " " + body);
    heads_.push_back(request.substr(0, request.find("\r\n\r\n") + 2));
    const std::shared_future<void> gate = gate_;
    const std::string answer = answer_;
    const uint64_t lot = base::MixBits(++lots_) % 16;
    lock.unlock();
    if (gate.valid()) gate.wait();
    if (!answer.empty()) return answer;
    // With chaos, it sometimes closes the connection, answers with too few rows, or lets others go first.
    if (chaos_ && lot == 0) return "";
    if (chaos_ && lot == 1) return Http("{\"predictions\":[]}");
    if (chaos_ && lot < 8) std::this_thread::yield();
    const size_t begin = body.find("\"instances\":[") + 13;
    const size_t end = body.rfind(']');
    if (body.find('-', begin) < end) return Http(R"({"error":"negative"})", "400 Bad Request");
    std::string predictions;
    for (size_t at = begin; at < end; at = body.find(',', at) == std::string::npos ? end : body.find(',', at) + 1) {
      predictions += (predictions.empty() ? "" : ",") + std::to_string(2 * std::atoi(body.c_str() + at));
    }
    return Http("{\"predictions\":[" + predictions + "]}");
  }

  // Sends a request after the previous one has arrived. The responses come in any order.
  std::future<net::ClientResponse> Ask(std::string body, std::string path = "/v1/models/m:predict",
                                       std::vector<std::pair<std::string, std::string>> headers = {}) {
    return std::async(std::launch::async, [this, body, path, headers] {
      auto client = net::HttpClient::Create({.url = "http://127.0.0.1:" + std::to_string(server_->port("http"))});
      return (*client)->Call({.method = "POST", .path = path, .headers = headers, .body = body}).value();
    });
  }
  // Sets the component's answer to later requests.
  void SetAnswer(std::string answer) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(answer);
  }
  // Waits until that many requests are in flight in the server.
  void AwaitInFlight(size_t count) {
    while (server_->requests_in_flight() != count) std::this_thread::yield();
  }
  std::vector<std::string> seen() {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  static std::string WithoutId(const net::ClientResponse& response) {
    std::string text = response.body;
    const size_t at = text.find("\"batchId\":\"") + 11;
    return std::to_string(response.status) + " " + text.erase(at, text.find('"', at) - at);
  }

  std::mutex mutex_;
  std::vector<std::string> seen_, heads_;
  std::string answer_;
  std::shared_future<void> gate_;  // if valid, the component answers when it is ready; set before Start
  bool chaos_ = false;             // likewise
  uint64_t lots_ = 0;
  uint16_t model_port_ = 0;  // of another component; set before Start
  ScriptedServer model_{[this](const std::string& request) { return Answer(request); }};
  BatchOptions options_;
  net::LoopGroup loops_{1};
  const std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  std::unique_ptr<net::Server> server_;
};

TEST_F(BatchingHandlerTest, RequestsAreOneAndEachGetsItsOwn) {
  Start();
  auto one = Ask(R"({"instances":[1]})");
  AwaitInFlight(1);
  auto two = Ask(R"({ "instances": [2, 3] })");
  AwaitInFlight(2);
  auto three = Ask(R"({"instances":[4]})");
  const net::ClientResponse first = one.get();
  EXPECT_EQ(WithoutId(first), R"(200 {"message":"","batchId":"","predictions":[2]})");
  EXPECT_EQ(first.Find("Content-Type"), "application/json");
  const net::ClientResponse second = two.get();
  EXPECT_EQ(WithoutId(second), R"(200 {"message":"","batchId":"","predictions":[4,6]})");
  EXPECT_EQ(WithoutId(three.get()), R"(200 {"message":"","batchId":"","predictions":[8]})");
  EXPECT_THAT(seen(), ElementsAre(R"(POST /v1/models/m:predict {"instances":[1,2, 3,4]})"));
  EXPECT_THAT(heads_[0], HasSubstr("Content-Type: application/json\r\n"));
  // All responses of a batch have the same identifier.
  EXPECT_EQ(first.body.substr(0, 60), second.body.substr(0, 60));
  EXPECT_THAT(first.body, HasSubstr("\"batchId\":\""));
}

TEST_F(BatchingHandlerTest, ARequestDoesNotWaitForEver) {
  options_.latency_max = std::chrono::milliseconds(20);
  Start();
  EXPECT_EQ(WithoutId(Ask(R"({"instances":[1]})").get()), R"(200 {"message":"","batchId":"","predictions":[2]})");
}

TEST_F(BatchingHandlerTest, WhatIsNotTheSameIsNotPutTogether) {
  Start();
  auto first = Ask(R"({"instances":[1,2,3]})");
  AwaitInFlight(1);
  auto other_path = Ask(R"({"instances":[4,5,6,7]})", "/v1/models/n:predict");
  EXPECT_EQ(WithoutId(other_path.get()), R"(200 {"message":"","batchId":"","predictions":[8,10,12,14]})");
  auto other_rest = Ask(R"({"signature_name":"s","instances":[4,5,6,7]})");
  EXPECT_EQ(other_rest.get().status, 200);
  EXPECT_THAT(seen(), ElementsAre(R"(POST /v1/models/n:predict {"instances":[4,5,6,7]})",
                                  R"(POST /v1/models/m:predict {"signature_name":"s","instances":[4,5,6,7]})"));
  // With the first request the batch would be too large, so the first one is sent before.
  auto last = Ask(R"({"instances":[4,5]})");
  EXPECT_EQ(WithoutId(first.get()), R"(200 {"message":"","batchId":"","predictions":[2,4,6]})");
  auto rest = Ask(R"({"instances":[6,7]})");
  EXPECT_EQ(WithoutId(last.get()), R"(200 {"message":"","batchId":"","predictions":[8,10]})");
  EXPECT_EQ(WithoutId(rest.get()), R"(200 {"message":"","batchId":"","predictions":[12,14]})");
}

TEST_F(BatchingHandlerTest, AFailureIsThatOfTheRequestThatEarnedIt) {
  Start();
  auto one = Ask(R"({"instances":[1]})");
  AwaitInFlight(1);
  auto bad = Ask(R"({"instances":[-7,2]})");
  AwaitInFlight(2);
  auto two = Ask(R"({"instances":[3]})");
  EXPECT_EQ(WithoutId(one.get()), R"(200 {"message":"","batchId":"","predictions":[2]})");
  EXPECT_EQ(WithoutId(two.get()), R"(200 {"message":"","batchId":"","predictions":[6]})");
  const net::ClientResponse refused = bad.get();
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.body, R"({"message":"{\"error\":\"negative\"}","batchId":"","predictions":null})");
  // The requests are repeated one by one, each once.
  EXPECT_THAT(seen(), UnorderedElementsAre(R"(POST /v1/models/m:predict {"instances":[1,-7,2,3]})",
                                           R"(POST /v1/models/m:predict {"instances":[1]})",
                                           R"(POST /v1/models/m:predict {"instances":[-7,2]})",
                                           R"(POST /v1/models/m:predict {"instances":[3]})"));
}

TEST_F(BatchingHandlerTest, WhatIsTheSameForAllRowsIsNotRepeated) {
  SetAnswer(Http(R"({"error":"no such model"})", "404 Not Found"));
  Start();
  auto one = Ask(R"({"instances":[1,2]})");
  AwaitInFlight(1);
  auto two = Ask(R"({"instances":[3,4]})");
  for (auto* asked : {&one, &two}) {
    const net::ClientResponse answer = asked->get();
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(answer.body, R"({"message":"{\"error\":\"no such model\"}","batchId":"","predictions":null})");
  }
  EXPECT_EQ(seen().size(), 1U);
}

TEST_F(BatchingHandlerTest, AnAnswerWithOtherPredictionsIsAFailure) {
  for (const std::string_view body : {R"({"predictions":[1]})", R"({"predictions":[1,2,3,4,5]})", R"({"a":1})"}) {
    SetAnswer(Http(body));
    if (server_ == nullptr) Start();
    const net::ClientResponse answer = Ask(R"({"instances":[1,2,3,4]})").get();
    EXPECT_EQ(answer.status, 502);
    EXPECT_EQ(
        answer.body,
        R"({"message":"size of prediction is not equal to the size of instances","batchId":"","predictions":null})");
  }
  SetAnswer(Http("no"));
  EXPECT_THAT(Ask(R"({"instances":[1,2,3,4]})").get().body, StartsWith(R"({"message":"JSON at byte 0)"));
}

TEST_F(BatchingHandlerTest, AComponentThatBreaksOffIsAFailure) {
  SetAnswer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\nx");
  Start();
  EXPECT_EQ(Ask(R"({"instances":[1,2,3,4]})").get().status, 502);
}

TEST_F(BatchingHandlerTest, AComponentThatDoesNotFinishItsAnswerIsAFailure) {
  SetAnswer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx");
  options_.timeout = std::chrono::milliseconds(20);
  Start();
  EXPECT_EQ(Ask(R"({"instances":[1,2,3,4]})").get().status, 504);
}

TEST_F(BatchingHandlerTest, WhatIsNoRequestIsRefused) {
  Start();
  EXPECT_THAT(Ask("[1]").get().body, StartsWith(R"({"error":"can't Unmarshal body)"));
  EXPECT_EQ(Ask("{}").get().body, R"({"error":"no instances in the request"})");
  EXPECT_EQ(Ask("{}").get().status, 400);
}

TEST_F(BatchingHandlerTest, OthersPass) {
  Start();
  EXPECT_EQ(Ask("x", "/v2/models/m/infer").get().body, "passed");
  EXPECT_EQ(Ask("x", "/v1/models/m:predict", {{"Content-Encoding", "gzip"}}).get().body, "passed");
  EXPECT_EQ(Ask("x", "/v1/models/m:predict", {{"ce-specversion", "1.0"}}).get().body, "passed");
}

TEST_F(BatchingHandlerTest, AClientThatGoesTakesItsInstancesAlong) {
  Start();
  {
    support::RawClient leaving(server_->port("http"));
    ASSERT_TRUE(leaving.Send(
        "POST /v1/models/m:predict HTTP/1.1\r\nHost: a\r\nContent-Length: 19\r\n\r\n{\"instances\":[7,7]}"));
    AwaitInFlight(1);
  }
  AwaitInFlight(0);
  auto staying = Ask(R"({"instances":[1,2,3,4]})");
  EXPECT_EQ(WithoutId(staying.get()), R"(200 {"message":"","batchId":"","predictions":[2,4,6,8]})");
  EXPECT_THAT(seen(), ElementsAre(R"(POST /v1/models/m:predict {"instances":[1,2,3,4]})"));
}

TEST_F(BatchingHandlerTest, BeyondItsRoomItAnswers503InTheProtocolsForm) {
  options_.requests_max = 2;
  Start();
  auto one = Ask(R"({"instances":[1]})");
  AwaitInFlight(1);
  auto two = Ask(R"({"instances":[2]})", "/v1/models/n:predict");
  AwaitInFlight(2);
  const net::ClientResponse v1 = Ask(R"({"instances":[3]})").get();
  EXPECT_EQ(v1.status, 503);
  EXPECT_EQ(v1.Find("Retry-After"), "1");
  EXPECT_THAT(v1.body, StartsWith(R"({"message":"the agent holds as many requests as it may (2, or )"));
  EXPECT_THAT(v1.body, HasSubstr(R"("batchId":"","predictions":null})"));
  const net::ClientResponse v2 =
      Ask(R"({"inputs":[{"name":"x","datatype":"INT32","shape":[1],"data":[1]}]})", "/v2/models/m/infer").get();
  EXPECT_EQ(v2.status, 503);
  EXPECT_THAT(v2.body, StartsWith(R"({"error":"the agent holds as many requests as it may (2, or )"));
  server_->BeginDrain();
  EXPECT_EQ(one.get().status, 200);
  EXPECT_EQ(two.get().status, 200);
}

TEST_F(BatchingHandlerTest, BytesThatWaitHaveABound) {
  options_.body_bytes_max = 30;
  Start();
  auto one = Ask(R"({"instances":[1]})");  // 17 bytes
  AwaitInFlight(1);
  EXPECT_EQ(Ask(R"({"instances":[3]})").get().status, 503);
  auto two = Ask(R"({"instances":[4, 5, 6]})", "/v1/models/n:predict");
  EXPECT_EQ(two.get().status, 503);
  server_->BeginDrain();
  EXPECT_EQ(one.get().status, 200);
}

TEST_F(BatchingHandlerTest, ARequestThatIsLongerThanTheRoomHasItAlone) {
  options_.body_bytes_max = 5;
  Start();
  EXPECT_EQ(Ask(R"({"instances":[1,2,3,4]})").get().status, 200);
}

// The component answers only after all requests have arrived.
TEST_F(BatchingHandlerTest, BatchesUnderWayAndConnectionsHaveABound) {
  options_.instances_max = 1;
  options_.batches_max = 3;
  std::promise<void> go;
  gate_ = go.get_future().share();
  Start();
  constexpr size_t kRequests = 40;
  std::vector<std::future<net::ClientResponse>> asked;
  for (size_t i = 0; i < kRequests; ++i) asked.push_back(Ask("{\"instances\":[" + std::to_string(i) + "]}"));
  AwaitInFlight(kRequests);
  EXPECT_LE(model_.connections(), 3U);
  go.set_value();
  for (size_t i = 0; i < kRequests; ++i) {
    EXPECT_EQ(WithoutId(asked[i].get()),
              R"(200 {"message":"","batchId":"","predictions":[)" + std::to_string(2 * i) + "]}");
  }
  EXPECT_LE(model_.connections(), 3U) << "connections are used again";
}

TEST_F(BatchingHandlerTest, WhatNobodyWaitsForIsGivenUp) {
  options_.instances_max = 1;
  options_.batches_max = 1;
  std::promise<void> go;
  gate_ = go.get_future().share();
  Start();
  {
    support::RawClient leaving(server_->port("http"));
    ASSERT_TRUE(
        leaving.Send("POST /v1/models/m:predict HTTP/1.1\r\nHost: a\r\nContent-Length: 17\r\n\r\n{\"instances\":[7]}"));
    while (seen().empty()) std::this_thread::yield();
  }
  AwaitInFlight(0);
  // Its slot is free, although the component still has the request.
  auto next = Ask(R"({"instances":[1]})");
  while (seen().size() < 2) std::this_thread::yield();
  go.set_value();
  EXPECT_EQ(next.get().status, 200);
}

TEST_F(BatchingHandlerTest, ABatchThatMeetsAConnectionThatIsClosedGoesOnAnother) {
  options_.instances_max = 1;
  net::FakeClosingServer closing(Http(R"({"predictions":[5]})"));
  model_port_ = closing.port();
  Start();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Ask(R"({"instances":[1]})").get().status, 200) << i;
  EXPECT_EQ(closing.requests(), 10);
}

// No response depends on the other requests of the batch, whatever happens to them.
TEST_F(BatchingHandlerTest, EachGetsItsOwnAmongFailuresAndClientsThatLeave) {
  options_.instances_max = 8;
  options_.batches_max = 3;
  options_.latency_max = std::chrono::milliseconds(1);
  chaos_ = true;
  Start();
  constexpr int kClients = 8;
  constexpr int kRequests = 40;
  std::vector<std::future<void>> clients;
  for (int client = 0; client < kClients; ++client) {
    clients.push_back(std::async(std::launch::async, [this, client] {
      for (int i = 0; i < kRequests; ++i) {
        const int first = 1000 * client + 10 * i;
        const bool bad = i % 7 == 3;
        std::string body = "{\"instances\":[";
        std::string wanted;
        for (int row = 0; row <= i % 3; ++row) {
          body += (row == 0 ? "" : ",") + std::to_string(bad ? -first - row - 1 : first + row);
          wanted += (row == 0 ? "" : ",") + std::to_string(2 * (first + row));
        }
        if (i % 5 == 4) {
          support::RawClient leaving(server_->port("http"));
          leaving.Send("POST /v1/models/m:predict HTTP/1.1\r\nHost: a\r\nContent-Length: " +
                       std::to_string(body.size() + 2) + "\r\n\r\n" + body + "]}");
        }
        const net::ClientResponse answer = Ask(body + "]}").get();
        const std::string text = WithoutId(answer);
        // If the component closes the connection, every request of the batch may fail.
        if (answer.status == 502) continue;
        EXPECT_EQ(text, bad ? R"(400 {"message":"{\"error\":\"negative\"}","batchId":"","predictions":null})"
                            : R"(200 {"message":"","batchId":"","predictions":[)" + wanted + "]}");
      }
    }));
  }
  for (std::future<void>& client : clients) client.get();
}

TEST_F(BatchingHandlerTest, RequestsOfV2AreOneAndAnsweredInItsForm) {
  SetAnswer(Http(R"({"model_name":"m","outputs":[{"name":"y","datatype":"INT32","shape":[3],"data":[7,8,9]}]})"));
  options_.instances_max = 3;
  Start();
  const std::string path = "/v2/models/m/infer";
  auto one = Ask(R"({"id":"a","inputs":[{"name":"x","datatype":"INT32","shape":[1],"data":[1]}]})", path);
  AwaitInFlight(1);
  auto two = Ask(R"({"inputs":[{"name":"x","datatype":"INT32","shape":[2],"data":[2,3]}]})", path);
  EXPECT_EQ(one.get().body,
            R"({"model_name":"m","id":"a","outputs":[{"name":"y","datatype":"INT32","shape":[1],"data":[7]}]})");
  EXPECT_EQ(two.get().body,
            R"({"model_name":"m","outputs":[{"name":"y","datatype":"INT32","shape":[2],"data":[8,9]}]})");
  EXPECT_THAT(seen(), ElementsAre("POST /v2/models/m/infer "
                                  R"({"inputs":[{"name":"x","datatype":"INT32","shape":[3],"data":[1,2,3]}]})"));
}

TEST_F(BatchingHandlerTest, ErrorsOfV2AreTheComponentsOrInItsForm) {
  options_.instances_max = 1;
  Start();
  const std::string body = R"({"inputs":[{"name":"x","datatype":"INT32","shape":[1],"data":[1]}]})";
  SetAnswer(Http(R"({"error":"no such input"})", "400 Bad Request"));
  const net::ClientResponse refused = Ask(body, "/v2/models/m/infer").get();
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.body, R"({"error":"no such input"})");
  SetAnswer(Http("{}"));
  const net::ClientResponse broken = Ask(body, "/v2/models/m/infer").get();
  EXPECT_EQ(broken.status, 502);
  EXPECT_EQ(broken.body, R"({"error":"the answer has no outputs"})");
}

TEST_F(BatchingHandlerTest, RequestsOfV2ThatCannotBePutTogetherPass) {
  Start();
  const std::string path = "/v2/models/m/infer";
  EXPECT_EQ(Ask("no JSON", path).get().body, "passed");
  EXPECT_EQ(Ask(R"({"inputs":[{"name":"x","shape":[1],"data":[1],"parameters":{}}]})", path).get().body, "passed");
  EXPECT_EQ(Ask("{}", path, {{"Inference-Header-Content-Length", "2"}}).get().body, "passed");
  EXPECT_THAT(seen(), ::testing::IsEmpty());
}

}  // namespace
}  // namespace inferd::agent
