#include "net/upstream/http2_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <map>

#include "base/logging.h"
#include "net/client/scripted_server.h"
#include "net/server.h"
#include "net/upstream/loop_fixture.h"

namespace inferd::net::upstream {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

struct Http2Outcome {
  int status = 0;
  HeaderList fields, trailers;
  std::string body;
  bool whole = false;
  std::optional<Failure> failure;
};

HeaderList Copied(std::span<const FieldView> fields) {
  HeaderList list;
  for (const auto& [name, value] : fields) list.emplace_back(name, value);
  return list;
}

class TestHttp2Receiver final : public Http2Receiver {
 public:
  void OnHead(int status, std::span<const FieldView> fields, bool whole) override {
    outcome_.status = status;
    outcome_.fields = Copied(fields);
    outcome_.whole = whole;
    if (gives_up) {
      GiveUp();
      done.set_value(std::move(outcome_));
    }
  }
  void OnBody(base::BufferSlice piece) override { outcome_.body += piece.view(); }
  void OnEnd(std::span<const FieldView> trailers) override {
    outcome_.trailers = Copied(trailers);
    done.set_value(std::move(outcome_));
  }
  void OnFailure(Failure failure) override {
    outcome_.failure = std::move(failure);
    done.set_value(std::move(outcome_));
  }
  void OnDrained() override { ++drained; }

  std::promise<Http2Outcome> done;
  int drained = 0;
  bool gives_up = false;

 private:
  Http2Outcome outcome_;
};

// Answers with the body; /trailers adds trailers, /none sends a head only, /reset does not answer.
class EchoHandler final : public HttpHandler {
 public:
  BodyPlan OnHead(const RequestHead&) override { return {}; }
  void OnRequest(HttpRequest request, Reply reply) override {
    HttpResponse response;
    response.headers = {{"x-method", std::string(request.head.method_text)},
                        {"x-host", std::string(request.head.Find("Host").value_or(""))},
                        {"x-te", std::string(request.head.Find("te").value_or(""))}};
    if (request.head.target == "/none") return reply.Send(std::move(response));
    if (request.head.target == "/trailers") {
      reply.Start(std::move(response));
      reply.Write(std::move(request.body));
      return reply.End({{"x-last", "1"}});
    }
    response.body.push_back(std::move(request.body));
    reply.Send(std::move(response));
  }
};

class Http2PoolTest : public LoopTest {
 protected:
  Http2PoolTest() {
    ListenerOptions listener;
    listener.name = "http";
    listener.address = "127.0.0.1";
    listener.handlers = [](Loop&) { return std::make_unique<EchoHandler>(); };
    EXPECT_TRUE(server_.Listen(std::move(listener)).ok());
  }
  ~Http2PoolTest() override {
    OnLoop([this] {
      receivers_.clear();
      pool_.reset();
    });
    loop_.Stop();
    server_.Stop();
  }

  uint16_t port() const { return server_.port("http"); }

  std::future<Http2Outcome> Send(uint16_t to, std::string_view path, std::string_view body, bool gives_up = false) {
    auto receiver = std::make_unique<TestHttp2Receiver>();
    receiver->gives_up = gives_up;
    std::future<Http2Outcome> outcome = receiver->done.get_future();
    OnLoop([&] {
      const FieldView fields[] = {{"TE", "trailers"}, {"X-A", "1"}};
      const Http2Request request{.method = "POST", .path = path, .authority = "a.b", .fields = fields};
      const auto address = *Address::Parse("127.0.0.1:" + std::to_string(to));
      const base::Status begun = pool_->Begin(address, request, *receiver);
      EXPECT_TRUE(begun.ok()) << begun.message();
      const bool drained = receiver->Write(base::BufferSlice(base::Buffer::CopyOf(body)));
      EXPECT_EQ(drained, body.size() <= Http2Receiver::kWaitingMax);
      receiver->EndBody();
      receivers_.push_back(std::move(receiver));
    });
    return outcome;
  }

  const std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  LoopGroup loops_{1};
  Server server_{loops_, Limits(), nullptr, *logger_};
  std::optional<Http2Pool> pool_{std::in_place, loop_};
  std::vector<std::unique_ptr<TestHttp2Receiver>> receivers_;
};

TEST_F(Http2PoolTest, SendsAndReceives) {
  const Http2Outcome outcome = Send(port(), "/echo", "ping").get();
  EXPECT_EQ(outcome.status, 200);
  EXPECT_EQ(outcome.body, "ping");
  EXPECT_THAT(outcome.fields, Contains(Pair("x-method", "POST")));
  EXPECT_THAT(outcome.fields, Contains(Pair("x-host", "a.b")));
  EXPECT_THAT(outcome.fields, Contains(Pair("x-te", "trailers")));
  EXPECT_TRUE(outcome.trailers.empty());
  EXPECT_FALSE(outcome.whole || outcome.failure.has_value());
}

TEST_F(Http2PoolTest, TrailersComeBehindTheBody) {
  const Http2Outcome outcome = Send(port(), "/trailers", "ping").get();
  EXPECT_EQ(outcome.body, "ping");
  EXPECT_THAT(outcome.trailers, ElementsAre(Pair("x-last", "1")));
}

TEST_F(Http2PoolTest, ManyRequestsShareAConnection) {
  std::vector<std::future<Http2Outcome>> outcomes;
  for (int i = 0; i < 50; ++i) outcomes.push_back(Send(port(), "/echo", std::to_string(i)));
  for (int i = 0; i < 50; ++i) EXPECT_EQ(outcomes[i].get().body, std::to_string(i));
  OnLoop([&] { EXPECT_EQ(pool_->connections(), 1U); });
}

TEST_F(Http2PoolTest, LargeBodiesBothWays) {
  const std::string body(10 << 20, 'x');
  auto first = Send(port(), "/echo", body);
  auto second = Send(port(), "/trailers", body);
  EXPECT_EQ(first.get().body, body);
  EXPECT_EQ(second.get().body, body);
  OnLoop([&] { EXPECT_EQ(receivers_[0]->drained, 1); });
}

TEST_F(Http2PoolTest, ARequestThatIsGivenUpLeavesTheConnection) {
  Send(port(), "/echo", std::string(1 << 20, 'x'), /*gives_up=*/true).get();
  EXPECT_EQ(Send(port(), "/echo", "ping").get().body, "ping");
  OnLoop([&] { EXPECT_EQ(pool_->connections(), 1U); });
}

TEST_F(Http2PoolTest, WhatDoesNotListen) {
  uint16_t gone = 0;
  {
    ScriptedServer server([](const std::string&) { return ""; });
    gone = server.port();
  }
  const Http2Outcome outcome = Send(gone, "/echo", "ping").get();
  ASSERT_TRUE(outcome.failure.has_value());
  EXPECT_EQ(outcome.failure->kind, Failure::Kind::kNotConnected);
  EXPECT_THAT(outcome.failure->text, HasSubstr("cannot connect to 127.0.0.1:"));
  OnLoop([&] { EXPECT_EQ(pool_->connections(), 0U); });
}

TEST_F(Http2PoolTest, WhatSpeaksNoHttp2) {
  // The preface looks like a request of HTTP/1.1.
  ScriptedServer server([](const std::string&) { return "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"; });
  const Http2Outcome outcome = Send(server.port(), "/echo", "ping").get();
  ASSERT_TRUE(outcome.failure.has_value());
  ScriptedServer closes([](const std::string&) { return ""; });
  EXPECT_TRUE(Send(closes.port(), "/echo", "ping").get().failure.has_value());
}

TEST_F(Http2PoolTest, AStatusThatIsNone) {
  using std::string_literals::operator""s;
  // SETTINGS; HEADERS of stream 1 with this status; DATA.
  for (const std::string& status : {"051"s, "000"s, "600"s, "999"s}) {
    ScriptedServer server([&](const std::string&) {
      return "\0\0\0\4\0\0\0\0\0"s + "\0\0\x0d\1\4\0\0\0\1"s + "\0\7:status\3"s + status + "\0\0\1\0\1\0\0\0\1x"s;
    });
    const Http2Outcome outcome = Send(server.port(), "/echo", "ping").get();
    ASSERT_TRUE(outcome.failure.has_value()) << status;
    EXPECT_EQ(outcome.failure->text, "a response without a status of HTTP") << status;
    EXPECT_EQ(outcome.body, "") << status;
  }
}

TEST_F(Http2PoolTest, AConnectionWithoutRequestsIsClosedAfterAWhile) {
  OnLoop([&] { pool_.emplace(loop_, Http2PoolOptions{.idle_timeout = std::chrono::milliseconds(0)}); });
  EXPECT_EQ(Send(port(), "/echo", "ping").get().body, "ping");
  size_t connections = 1;
  while (connections > 0) OnLoop([&] { connections = pool_->connections(); });
  EXPECT_EQ(Send(port(), "/echo", "again").get().body, "again");
}

TEST_F(Http2PoolTest, AServerThatEndsIsLeft) {
  EXPECT_EQ(Send(port(), "/echo", "ping").get().body, "ping");
  server_.Stop();
  size_t connections = 1;
  while (connections > 0) OnLoop([&] { connections = pool_->connections(); });
}

}  // namespace
}  // namespace inferd::net::upstream
