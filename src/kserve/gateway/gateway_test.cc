#include "kserve/gateway/gateway.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <iterator>
#include <map>
#include <thread>
#include <vector>

#include "base/system/file_descriptor.h"
#include "kserve/gateway/gateway_fixture.h"
#include "net/client/fake_closing_server.h"
#include "net/client/http_client.h"
#include "net/client/scripted_server.h"

namespace inferd::gateway {
namespace {

using net::ScriptedServer;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string Answer(std::string_view body) {
  return "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

std::string Post(std::string_view host, std::string_view path = "/v2", std::string_view more = "",
                 std::string_view body = "ping") {
  return "POST " + std::string(path) + " HTTP/1.1\r\nHost: " + std::string(host) + "\r\n" + std::string(more) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

class GatewayTest : public ServedGatewayTest {
 protected:
  std::shared_ptr<Backend> Make(const std::string& name, std::initializer_list<uint16_t> ports,
                                BackendOptions options = {}) {
    auto backend = std::make_shared<Backend>(name, options);
    backend->SetReplicas(At(ports));
    return backend;
  }
  static std::vector<ReplicaPlace> At(std::initializer_list<uint16_t> ports) {
    std::vector<ReplicaPlace> addresses;
    for (const uint16_t port : ports) {
      addresses.push_back(*net::upstream::Address::Parse("127.0.0.1:" + std::to_string(port)));
    }
    return addresses;
  }
  void RouteTo(std::shared_ptr<Backend> backend, Route route = {}) {
    route.destinations.push_back({.backend = std::move(backend)});
    auto table = std::make_shared<RouteTable>();
    table->Add("a", std::move(route));
    gateway_.SetRoutes(std::move(table));
  }
};

TEST_F(GatewayTest, ARequestGoesThroughAndItsAnswerComesBack) {
  std::string seen;
  ScriptedServer replica([&](const std::string& request) {
    seen = request;
    return Answer("pong");
  });
  RouteTo(Make("b", {replica.port()}));
  const std::string answer = Ask(Post("a", "/v2/models/m/infer?x=1",
                                      "X-Mine: 1\r\nConnection: X-Hop\r\nX-Hop: 1\r\n"
                                      "X-Request-Id: r1\r\nX-Forwarded-For: 10.0.0.1\r\n"),
                                 "pong");
  EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("Content-Type: text/plain\r\n"),
                            HasSubstr("Content-Length: 4\r\n"), EndsWith("\r\n\r\npong")));
  EXPECT_THAT(seen, AllOf(StartsWith("POST /v2/models/m/infer?x=1 HTTP/1.1\r\nHost: a\r\nX-Mine: 1\r\n"),
                          HasSubstr("X-Request-Id: r1\r\n"), HasSubstr("X-Forwarded-For: 10.0.0.1, 127.0.0.1\r\n"),
                          HasSubstr("X-Forwarded-Proto: http\r\n"), EndsWith("\r\n\r\nping")));
  EXPECT_THAT(seen, Not(HasSubstr("X-Hop")));
}

TEST_F(GatewayTest, WhatHasNoRouteIsNotFound) {
  ScriptedServer replica([](const std::string&) { return Answer("pong"); });
  EXPECT_THAT(Ask(Post("a"), "}"), AllOf(StartsWith("HTTP/1.1 404 "), HasSubstr("no service of this host")));
  Route route;
  route.path_prefix = "/v1";
  RouteTo(Make("b", {replica.port()}), std::move(route));
  EXPECT_THAT(Ask(Post("b"), "}"), AllOf(StartsWith("HTTP/1.1 404 "), HasSubstr("no service of this host")));
  EXPECT_THAT(Ask(Post("a"), "}"), AllOf(StartsWith("HTTP/1.1 404 "), HasSubstr("no route for this path")));
  EXPECT_THAT(Ask(Post("a", "/v1"), "pong"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(GatewayTest, ControlCallsAreRefusedUnlessTheyAreToPass) {
  ScriptedServer replica([](const std::string&) { return Answer("pong"); });
  Route route;
  route.strip_prefix = "/serving/a";
  RouteTo(Make("b", {replica.port()}), std::move(route));
  for (const char* path : {"/v2/repository/models/m/unload", "/serving/a/v2/logging?x=1", "/v2/%6cogging"}) {
    EXPECT_THAT(Ask(Post("a", path), "}"), AllOf(StartsWith("HTTP/1.1 403 "), HasSubstr("--pass-control-calls")))
        << path;
  }
  EXPECT_THAT(Ask(Post("a", "/serving/a/v2/models/m/infer"), "pong"), StartsWith("HTTP/1.1 200 "));
  gateway_.PassControlCalls();
  EXPECT_THAT(Ask(Post("a", "/v2/repository/models/m/unload"), "pong"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(GatewayTest, APrefixIsTakenOff) {
  std::string seen;
  ScriptedServer replica([&](const std::string& request) {
    seen = request;
    return Answer("pong");
  });
  Route route;
  route.path_prefix = route.strip_prefix = "/serving/ns/m";
  RouteTo(Make("b", {replica.port()}), std::move(route));
  Ask(Post("a", "/serving/ns/m/v1/models?x=1"), "pong");
  EXPECT_THAT(seen, StartsWith("POST /v1/models?x=1 "));
  Ask(Post("a", "/serving/ns/m?x=1"), "pong");
  EXPECT_THAT(seen, StartsWith("POST /?x=1 "));
}

TEST_F(GatewayTest, SharesOfTheRequests) {
  ScriptedServer before([](const std::string&) { return Answer("before"); });
  ScriptedServer canary([](const std::string&) { return Answer("canary"); });
  Route route;
  route.destinations.push_back({.backend = Make("before", {before.port()}), .percent = 80});
  route.destinations.push_back({.backend = Make("canary", {canary.port()}), .percent = 20, .tag = "latest"});
  auto table = std::make_shared<RouteTable>();
  table->Add("a", std::move(route));
  gateway_.SetRoutes(std::move(table));
  int canaries = 0;
  auto http = net::HttpClient::Create({.url = "http://127.0.0.1:" + std::to_string(port())});
  for (int i = 0; i < 1'000; ++i) {
    const auto response = (*http)->Call({.path = "/v2", .headers = {{"Host", "a"}}});
    ASSERT_TRUE(response.has_value());
    canaries += response->body == "canary" ? 1 : 0;
  }
  // Six standard deviations (12.6 each) in both directions.
  EXPECT_NEAR(canaries, 200, 76);
  const auto tagged = (*http)->Call({.path = "/v2", .headers = {{"Host", "a"}, {"Knative-Serving-Tag", "latest"}}});
  EXPECT_EQ(tagged->body, "canary");
}

TEST_F(GatewayTest, RequestsWaitForTheFirstReplica) {
  ScriptedServer replica([](const std::string&) { return Answer("pong"); });
  std::promise<void> demanded;
  auto backend = std::make_shared<Backend>("b", BackendOptions{}, [&] { demanded.set_value(); });
  RouteTo(backend);
  std::future<std::string> answer = std::async(std::launch::async, [&] { return Ask(Post("a"), "pong"); });
  demanded.get_future().wait();
  backend->SetReplicas(At({replica.port()}));
  EXPECT_THAT(answer.get(), StartsWith("HTTP/1.1 200 "));
}

TEST_F(GatewayTest, AWaitHasAnEnd) {
  Route route;
  route.wait_timeout = std::chrono::milliseconds(30);
  RouteTo(Make("b", {}), std::move(route));
  EXPECT_THAT(Ask(Post("a"), "}"),
              AllOf(StartsWith("HTTP/1.1 504 "), HasSubstr("no replica of 'b' was ready in time")));
}

TEST_F(GatewayTest, RequestsThatWaitForWhatIsTakenAwayAreAnsweredAtOnce) {
  std::promise<void> demanded;
  auto backend = std::make_shared<Backend>("b", BackendOptions{}, [&] { demanded.set_value(); });
  RouteTo(backend);
  std::future<std::string> answer = std::async(std::launch::async, [&] { return Ask(Post("a"), "}"); });
  demanded.get_future().wait();
  backend->Close();
  EXPECT_THAT(answer.get(), AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("'b' is not there any more")));
}

TEST_F(GatewayTest, TooManyThatWaitAreRefused) {
  auto backend = Make("b", {}, {.waiting_max = 0});
  RouteTo(backend);
  EXPECT_THAT(Ask(Post("a"), "}"), StartsWith("HTTP/1.1 503 "));
}

TEST_F(GatewayTest, AnAnswerThatDoesNotComeInTime) {
  std::promise<void> over;
  ScriptedServer replica([&](const std::string&) {
    over.get_future().wait();
    return Answer("late");
  });
  Route route;
  route.timeout = std::chrono::milliseconds(30);
  auto backend = Make("b", {replica.port()});
  RouteTo(backend, std::move(route));
  EXPECT_THAT(Ask(Post("a"), "}"), AllOf(StartsWith("HTTP/1.1 504 "), HasSubstr("did not answer in time")));
  over.set_value();
  EXPECT_EQ(backend->TakeLoad(0).in_flight, 0u);
}

TEST_F(GatewayTest, AReplicaThatIsNotThereIsLeftForAnother) {
  uint16_t gone = 0;
  {
    ScriptedServer server([](const std::string&) { return ""; });
    gone = server.port();
  }
  ScriptedServer replica([](const std::string&) { return Answer("pong"); });
  RouteTo(Make("b", {gone, replica.port()}));
  for (int i = 0; i < 10; ++i) EXPECT_THAT(Ask(Post("a"), "pong"), StartsWith("HTTP/1.1 200 "));
  RouteTo(Make("b", {gone}));
  EXPECT_THAT(Ask(Post("a"), "}"), AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Connection refused")));
}

TEST_F(GatewayTest, WhatAReplicaHasReadIsNotSentAgain) {
  std::atomic<int> requests = 0;
  ScriptedServer replica([&](const std::string&) {
    ++requests;
    return "";
  });
  RouteTo(Make("b", {replica.port()}));
  EXPECT_THAT(Ask(Post("a"), "}"), StartsWith("HTTP/1.1 502 "));
  EXPECT_EQ(requests.load(), 1);
}

TEST_F(GatewayTest, ARequestThatMeetsAConnectionThatIsClosedGoesOnAnother) {
  net::FakeClosingServer replica;
  RouteTo(Make("b", {replica.port()}));
  // All requests use one connection, and therefore one loop, which reuses its connection to the replica.
  support::RawClient client(port());
  for (int i = 0; i < 20; ++i) {
    client.Send(Post("a"));
    EXPECT_THAT(client.ReadUntil("pong"), StartsWith("HTTP/1.1 200 ")) << i;
  }
  EXPECT_EQ(replica.requests(), 20);
}

// RFC 9112, 3.2.2: the host of the target takes precedence, for the route and for the replica.
TEST_F(GatewayTest, TheAbsoluteFormGoesByItsOwnHost) {
  std::string seen;
  ScriptedServer replica([&](const std::string& request) {
    seen = request;
    return Answer("pong");
  });
  RouteTo(Make("b", {replica.port()}));
  EXPECT_THAT(Ask(Post("other", "http://a:80/v2?x=1"), "pong"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(seen, AllOf(StartsWith("POST /v2?x=1 HTTP/1.1\r\nHost: a:80\r\n"), Not(HasSubstr("other"))));
  EXPECT_THAT(Ask(Post("a", "http://other/v2"), "}"), AllOf(StartsWith("HTTP/1.1 404 "), HasSubstr("of this host")));
  EXPECT_THAT(Ask(Post("a:80:80"), "}"), StartsWith("HTTP/1.1 400 "));
}

TEST_F(GatewayTest, AStreamComesAsItIsMade) {
  ScriptedServer replica([](const std::string&) {
    return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n";
  });
  RouteTo(Make("b", {replica.port()}));
  support::RawClient client(port());
  client.Send(Post("a"));
  EXPECT_THAT(client.ReadUntil("first\r\n"), HasSubstr("Transfer-Encoding: chunked\r\n"));
}

TEST_F(GatewayTest, AResponseThatBreaksOffIsNotTakenForWhole) {
  ScriptedServer replica([](const std::string& request) {
    return request.starts_with("POST")
               ? "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\nnonsense\r\n"
               : "";
  });
  RouteTo(Make("b", {replica.port()}));
  const std::string answer = Ask(Post("a"), "");
  EXPECT_THAT(answer, Not(EndsWith("0\r\n\r\n")));
}

TEST_F(GatewayTest, LargeBodiesBothWays) {
  std::string body(5'000'000, 'x');
  for (size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>('a' + i % 23);
  ScriptedServer replica(
      [](const std::string& request) { return Answer(request.substr(request.find("\r\n\r\n") + 4)); });
  RouteTo(Make("b", {replica.port()}));
  auto http = net::HttpClient::Create({.url = "http://127.0.0.1:" + std::to_string(port())});
  const auto response = (*http)->Call({.method = "POST", .path = "/v2", .headers = {{"Host", "a"}}, .body = body});
  ASSERT_TRUE(response.has_value());
  EXPECT_TRUE(response->body == body);
  EXPECT_EQ(response->Find("Content-Length"), std::to_string(body.size()));
}

// A client that does not read delays its own replica's response only.
TEST_F(GatewayTest, AClientThatDoesNotReadTakesNoMemory) {
  const std::string body(50'000'000, 'x');
  ScriptedServer replica([&](const std::string& request) {
    return Answer(request.starts_with("POST /large") ? std::string_view(body) : "pong");
  });
  RouteTo(Make("b", {replica.port()}));
  support::RawClient slow(port());
  slow.Send(Post("a", "/large"));
  for (int i = 0; i < 20; ++i) EXPECT_THAT(Ask(Post("a"), "pong"), StartsWith("HTTP/1.1 200 "));
  EXPECT_GT(slow.ReadUntil(body.substr(0, 1'000)).size(), 1'000u);
}

TEST_F(GatewayTest, ARequestWhoseClientHasGoneIsGivenUp) {
  std::promise<void> over;
  std::promise<void> came;
  ScriptedServer replica([&](const std::string&) {
    came.set_value();
    over.get_future().wait();
    return Answer("late");
  });
  auto backend = Make("b", {replica.port()});
  RouteTo(backend);
  {
    support::RawClient client(port());
    client.Send(Post("a"));
    came.get_future().wait();
    client.Reset();
  }
  while (backend->TakeLoad(0).in_flight > 0) std::this_thread::yield();
  over.set_value();
}

// A replica that accepts connections but never answers, by means of the listener's queue in the kernel.
class SilentReplica {
 public:
  SilentReplica() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
    listen(listener_.get(), 512);
    socklen_t size = sizeof(address);
    getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  uint16_t port() const { return port_; }

 private:
  base::FileDescriptor listener_;
  uint16_t port_ = 0;
};

size_t OpenDescriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

// Waits for at most 30 s. A request uses the descriptors of its client and its replica.
void AwaitDescriptors(size_t count) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (OpenDescriptors() != count && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_EQ(OpenDescriptors(), count);
}

TEST_F(GatewayTest, ClientsThatLeaveTakeTheDescriptorsOfTheirRequestsAlong) {
  constexpr size_t kClients = 100;
  SilentReplica silent;
  // Pipelined data after the request is not read meanwhile, and the end of the stream is behind it.
  for (const size_t pipelined : {size_t{0}, size_t{64} << 10}) {
    for (const bool has_replica : {true, false}) {
      RouteTo(has_replica ? Make("b", {silent.port()}) : Make("b", {}));
      const size_t before = OpenDescriptors();
      std::vector<std::unique_ptr<support::RawClient>> clients;
      for (size_t i = 0; i < kClients; ++i) {
        clients.push_back(std::make_unique<support::RawClient>(port()));
        ASSERT_TRUE(clients.back()->Send(Post("a") + std::string(pipelined, 'x')));
      }
      AwaitDescriptors(before + (has_replica ? 3 : 2) * kClients);
      clients.clear();
      AwaitDescriptors(before);
    }
  }
}

// The transport reports a peer that left earlier in a separate task, which runs after the request has been answered.
TEST_F(GatewayTest, AClientThatHasFinishedSendingIsForgottenOnce) {
  RouteTo(Make("b", {}, {.waiting_max = 0}));
  for (int i = 0; i < 50; ++i) {
    support::RawClient client(port());
    client.Send(Post("a"));
    client.FinishSending();
    client.ReadUntil();
  }
  auto backend = Make("b", {});
  RouteTo(backend);
  for (int i = 0; i < 50; ++i) {
    support::RawClient client(port());
    client.Send(Post("a"));
    client.FinishSending();
  }
  while (backend->TakeLoad(0).in_flight > 0) std::this_thread::yield();
}

TEST_F(GatewayTest, GrpcIsRefusedInItsOwnForm) {
  auto http = net::HttpClient::Create({.url = "http://127.0.0.1:" + std::to_string(port()), .http2 = true});
  const auto response =
      (*http)->Call({.method = "POST", .path = "/s/m", .headers = {{"Content-Type", "application/grpc"}}, .body = {}});
  ASSERT_TRUE(response.has_value());
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->Find("grpc-status"), "12");
}

TEST_F(GatewayTest, HeadIsAnsweredWithoutABody) {
  ScriptedServer replica([](const std::string& request) {
    EXPECT_THAT(request, StartsWith("GET /v2 "));
    return Answer("pong");
  });
  RouteTo(Make("b", {replica.port()}));
  support::RawClient client(port());
  client.Send("HEAD /v2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.ReadUntil(), AllOf(HasSubstr("Content-Length: 4\r\n"), EndsWith("\r\n\r\n")));
}

}  // namespace
}  // namespace inferd::gateway
