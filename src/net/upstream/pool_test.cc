#include "net/upstream/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <future>
#include <thread>

#include "net/client/fake_closing_server.h"
#include "net/client/scripted_server.h"
#include "net/upstream/loop_fixture.h"

namespace inferd::net::upstream {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

// The result of a request.
struct Outcome {
  int status = 0;
  HeaderList fields;
  std::string body;
  std::optional<Failure> failure;
};

class TestReceiver final : public Receiver {
 public:
  void OnHead(const ResponseHead& head) override {
    outcome_.status = head.status;
    for (const auto& [name, value] : head.fields) outcome_.fields.emplace_back(name, value);
  }
  void OnBody(base::BufferSlice piece) override { outcome_.body += piece.view(); }
  void OnEnd() override { done.set_value(std::move(outcome_)); }
  void OnFailure(Failure failure) override {
    outcome_.failure = std::move(failure);
    done.set_value(std::move(outcome_));
  }

  std::promise<Outcome> done;

 private:
  Outcome outcome_;
};

class PoolTest : public LoopTest {
 protected:
  ~PoolTest() override {
    OnLoop([this] {
      receivers_.clear();
      pool_.reset();
    });
    loop_.Stop();
  }

  static Address At(uint16_t port) { return *Address::Parse("127.0.0.1:" + std::to_string(port)); }

  std::future<Outcome> Send(const Address& address, std::string_view method = "POST", std::string_view body = "ping",
                            bool fresh = false) {
    auto receiver = std::make_unique<TestReceiver>();
    std::future<Outcome> outcome = receiver->done.get_future();
    OnLoop([&] {
      const FieldView fields[] = {{"Host", "a"}};
      const Request request{.method = method,
                            .target = "/v2?x=1",
                            .fields = fields,
                            .body = base::BufferSlice(base::Buffer::CopyOf(body))};
      const base::Status sent = pool_->Send(address, request, *receiver, fresh);
      if (!sent.ok()) receiver->OnFailure({Failure::Kind::kNotConnected, std::string(sent.message())});
      receivers_.push_back(std::move(receiver));
    });
    return outcome;
  }
  Outcome Get(ScriptedServer& server, std::string_view method = "POST", std::string_view body = "ping") {
    return Send(At(server.port()), method, body).get();
  }
  size_t Connections() {
    size_t connections = 0;
    OnLoop([&] { connections = pool_->connections(); });
    return connections;
  }

  std::optional<Pool> pool_{std::in_place, loop_, PoolOptions{}};
  std::vector<std::unique_ptr<TestReceiver>> receivers_;
};

TEST_F(PoolTest, SendsAndReceives) {
  std::string seen;
  ScriptedServer server([&](const std::string& request) {
    seen = request;
    return "HTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Length: 4\r\n\r\npong";
  });
  const Outcome outcome = Get(server);
  EXPECT_EQ(outcome.status, 200);
  EXPECT_EQ(outcome.body, "pong");
  EXPECT_THAT(outcome.fields, ElementsAre(Pair("X-A", "1")));
  EXPECT_EQ(seen, "POST /v2?x=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nping");
}

TEST_F(PoolTest, AConnectionIsUsedAgain) {
  ScriptedServer server([](const std::string&) { return "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npong"; });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Get(server).body, "pong");
  EXPECT_EQ(server.connections(), 1u);
}

TEST_F(PoolTest, AServerMayCloseBehindItsResponse) {
  ScriptedServer server(
      [](const std::string&) { return "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\npong"; });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Get(server).body, "pong");
  EXPECT_EQ(server.connections(), 3u);
  EXPECT_EQ(Connections(), 0u);
}

TEST_F(PoolTest, ChunkedBodies) {
  ScriptedServer server([](const std::string&) {
    return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1;x=y\r\nd\r\n0\r\nT: 1\r\n\r\n";
  });
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Get(server).body, "abcd");
  EXPECT_EQ(server.connections(), 1u);
}

TEST_F(PoolTest, LongBodiesComeWhole) {
  std::string body(3'000'000, 'x');
  for (size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>('a' + i % 23);
  ScriptedServer server([&](const std::string&) {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  });
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(Get(server).body == body);
}

TEST_F(PoolTest, LongRequestsGoOutWhole) {
  const std::string body(3'000'000, 'q');
  std::string seen;
  ScriptedServer server([&](const std::string& request) {
    seen = request;
    return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  });
  EXPECT_EQ(Get(server, "POST", body).status, 200);
  EXPECT_TRUE(seen.ends_with("\r\n\r\n" + body));
}

TEST_F(PoolTest, InterimResponsesAreNotShown) {
  ScriptedServer server([](const std::string&) {
    return "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 201 Created\r\n"
           "Content-Length: 2\r\n\r\nok";
  });
  const Outcome outcome = Get(server);
  EXPECT_EQ(outcome.status, 201);
  EXPECT_EQ(outcome.body, "ok");
  EXPECT_TRUE(outcome.fields.empty());
}

TEST_F(PoolTest, AnswersToHeadHaveNoBody) {
  ScriptedServer server([](const std::string&) { return "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"; });
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Get(server, "HEAD", "").status, 200);
  EXPECT_EQ(server.connections(), 1u);
}

// An unsolicited response would be taken for the response to the next request, perhaps of another client.
TEST_F(PoolTest, WhatComesBehindAResponseEndsTheConnection) {
  ScriptedServer server([](const std::string&) {
    return "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npongHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil";
  });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Get(server).body, "pong");
  EXPECT_EQ(server.connections(), 3u);
}

TEST_F(PoolTest, AServerThatIsNotThere) {
  uint16_t port = 0;
  {
    ScriptedServer server([](const std::string&) { return ""; });
    port = server.port();
  }
  const Outcome outcome = Send(At(port)).get();
  ASSERT_TRUE(outcome.failure.has_value());
  EXPECT_EQ(outcome.failure->kind, Failure::Kind::kNotConnected);
  EXPECT_THAT(outcome.failure->text, HasSubstr("Connection refused"));
}

TEST_F(PoolTest, AServerThatClosesInPlaceOfAnAnswer) {
  ScriptedServer server([](const std::string&) { return ""; });
  const Outcome outcome = Get(server);
  ASSERT_TRUE(outcome.failure.has_value());
  EXPECT_EQ(outcome.failure->kind, Failure::Kind::kBroken);
}

TEST_F(PoolTest, AUsedConnectionThatIsClosedInPlaceOfAnAnswerWasStale) {
  int requests = 0;
  ScriptedServer server(
      [&](const std::string&) { return ++requests == 1 ? "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npong" : ""; });
  EXPECT_EQ(Get(server).body, "pong");
  const Outcome outcome = Get(server);
  ASSERT_TRUE(outcome.failure.has_value());
  EXPECT_EQ(outcome.failure->kind, Failure::Kind::kStale);
}

TEST_F(PoolTest, AUsedConnectionThatIsClosedBeforeAByteIsReadLeftTheRequestUntaken) {
  FakeClosingServer server;
  const Outcome answered = Send(At(server.port())).get();
  EXPECT_EQ(answered.body, "pong");
  const Outcome outcome = Send(At(server.port())).get();
  ASSERT_TRUE(outcome.failure.has_value());
  EXPECT_EQ(outcome.failure->kind, Failure::Kind::kUntaken);
  EXPECT_EQ(Send(At(server.port()), "POST", "ping", true).get().body, "pong");
  EXPECT_EQ(server.requests(), 2);
}

// A server's unsolicited bytes, such as a 408 before it closes, would be taken for the next response.
TEST_F(PoolTest, AnIdleConnectionWithBytesOrAnEndOnItIsNotUsed) {
  for (const bool says_something : {true, false}) {
    ScriptedServer server([](const std::string&) { return "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npong"; });
    EXPECT_EQ(Get(server).body, "pong");
    // The loop is busy, and does not notice before the next request.
    OnLoop([&] {
      server.SayToAll(says_something ? "HTTP/1.1 408 Request Timeout\r\nContent-Length: 4\r\n\r\nevil" : "");
      const FieldView fields[] = {{"Host", "a"}};
      auto receiver = std::make_unique<TestReceiver>();
      const Request request{.method = "POST", .target = "/", .fields = fields, .body = {}};
      ASSERT_TRUE(pool_->Send(At(server.port()), request, *receiver).ok());
      receivers_.push_back(std::move(receiver));
    });
    const Outcome outcome = receivers_.back()->done.get_future().get();
    EXPECT_EQ(outcome.status, 200);
    EXPECT_EQ(outcome.body, "pong");
    EXPECT_EQ(server.connections(), 2u);
  }
}

TEST_F(PoolTest, AConnectionThatWasIdleForTooLongIsNotUsed) {
  OnLoop([&] { pool_.emplace(loop_, PoolOptions{.idle_timeout = std::chrono::milliseconds(0)}); });
  ScriptedServer server([](const std::string&) { return "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npong"; });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Get(server).body, "pong");
  EXPECT_EQ(server.connections(), 3u);
  // Shorter than the shortest of common servers (gunicorn: 2 s).
  EXPECT_LE(PoolOptions().idle_timeout, std::chrono::seconds(2));
}

TEST_F(PoolTest, ARequestThatIsGivenUpTakesItsConnectionWithIt) {
  ScriptedServer server([](const std::string&) { return "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\npong"; });
  const std::future<Outcome> outcome = Send(At(server.port()));
  EXPECT_EQ(Connections(), 1u);
  OnLoop([this] { receivers_.clear(); });
  EXPECT_EQ(Connections(), 0u);
}

TEST_F(PoolTest, ABrokenResponseIsNone) {
  for (const std::string_view text :
       {"SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: a\r\n\r\n", "HTTP/1.1 200 OK\nX: 1\n\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    ScriptedServer server([&](const std::string&) { return std::string(text); });
    const Outcome outcome = Get(server);
    ASSERT_TRUE(outcome.failure.has_value()) << text;
    EXPECT_EQ(outcome.failure->kind, Failure::Kind::kMalformed) << text;
    EXPECT_EQ(Connections(), 0u);
  }
}

TEST_F(PoolTest, AHeadMayComeInPieces) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(listen(listener, 4), 0);
  socklen_t size = sizeof(address);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  std::thread feeder([listener] {
    const int fd = accept(listener, nullptr, nullptr);
    char request[4096];
    static_cast<void>(recv(fd, request, sizeof(request), 0));
    for (const char c : std::string_view("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n")) {
      static_cast<void>(send(fd, &c, 1, MSG_NOSIGNAL));
      std::this_thread::yield();
    }
    close(fd);
  });
  const Outcome outcome = Send(At(ntohs(address.sin_port))).get();
  feeder.join();
  close(listener);
  EXPECT_FALSE(outcome.failure.has_value());
  EXPECT_EQ(outcome.body, "ab");
}

TEST_F(PoolTest, IdleConnectionsOfAServerThatHasGoneAreForgotten) {
  ScriptedServer server([](const std::string&) { return "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npong"; });
  EXPECT_EQ(Get(server).body, "pong");
  EXPECT_EQ(Connections(), 1u);
  OnLoop([&] { pool_->Forget(At(server.port()).text()); });
  EXPECT_EQ(Connections(), 0u);
}

TEST(AddressTest, Forms) {
  for (const std::string_view text : {"127.0.0.1:80", "[::1]:8080", "unix:/run/a.sock"}) {
    const auto address = Address::Parse(text);
    ASSERT_TRUE(address.has_value()) << text;
    EXPECT_EQ(address->text(), text);
  }
  for (const std::string_view text : {"", ":80", "localhost:80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0",
                                      "127.0.0.1:65536", "127.0.0.1:80x", "[::1]", "::1:80", "unix:"}) {
    EXPECT_FALSE(Address::Parse(text).has_value()) << text;
  }
  EXPECT_FALSE(Address::Parse("unix:" + std::string(200, 'a')).has_value());
}

}  // namespace
}  // namespace inferd::net::upstream
