#include "kserve/node/probe/ask.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/logging.h"
#include "net/loop_group.h"
#include "net/server.h"
#include "tests/support/temp_dir.h"

namespace inferd::node {
namespace {

using Way = ReadinessProbe::Way;

// Answers GET /ready with 200, health checks of "m" with SERVING, and those of "late" with NOT_SERVING.
class HealthHandler final : public net::HttpHandler {
 public:
  net::BodyPlan OnHead(const net::RequestHead&) override { return {}; }
  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    if (request.head.target == "/ready") return reply.Send(net::HttpResponse::Text(200, "text/plain", "yes"));
    if (request.head.target != "/grpc.health.v1.Health/Check") {
      return reply.Send(net::HttpResponse::Text(404, "text/plain", "no"));
    }
    net::HttpResponse response;
    response.headers = {{"content-type", "application/grpc"}};
    const std::string_view body = request.body.view();
    const bool known = body.ends_with("m") || body.ends_with("late") || body.size() == 5;
    reply.Start(std::move(response));
    if (known) {
      const std::string answer{body.ends_with("late") ? "\0\0\0\0\x02\x08\x02" : "\0\0\0\0\x02\x08\x01", 7};
      reply.Write(base::BufferSlice(base::Buffer::CopyOf(answer)));
    }
    reply.End({{"grpc-status", known ? "0" : "5"}});
  }
};

class AskTest : public ::testing::Test {
 protected:
  AskTest() {
    net::ListenerOptions listener;
    listener.name = "http";
    listener.address = "127.0.0.1";
    listener.handlers = [](net::Loop&) { return std::make_unique<HealthHandler>(); };
    EXPECT_TRUE(server_.Listen(std::move(listener)).ok());
  }
  ~AskTest() override { server_.Stop(); }

  bool Ask(ReadinessProbe probe) { return AnswersReady(probe, AddressAt(server_.port("http"))); }

  const std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  net::LoopGroup loops_{1};
  net::Server server_{loops_, net::Limits(), nullptr, *logger_};
};

TEST_F(AskTest, ByHttp) {
  EXPECT_TRUE(Ask({.way = Way::kHttp, .path = "/ready"}));
  EXPECT_FALSE(Ask({.way = Way::kHttp, .path = "/other"}));
}

TEST_F(AskTest, ByGrpc) {
  EXPECT_TRUE(Ask({.way = Way::kGrpc}));
  EXPECT_TRUE(Ask({.way = Way::kGrpc, .service = "m"}));
  EXPECT_FALSE(Ask({.way = Way::kGrpc, .service = "late"}));
  EXPECT_FALSE(Ask({.way = Way::kGrpc, .service = "none"}));
}

TEST_F(AskTest, ByAConnection) {
  EXPECT_TRUE(Ask({}));
  const std::string address = AddressAt(server_.port("http"));
  server_.Stop();
  EXPECT_FALSE(AnswersReady({}, address));
  EXPECT_FALSE(AnswersReady({.way = Way::kHttp, .path = "/ready"}, address));
  EXPECT_FALSE(AnswersReady({.way = Way::kGrpc}, address));
}

TEST_F(AskTest, AtAUnixSocket) {
  const support::TempDir folder;
  const std::string path = folder.path() / "socket";
  net::ListenerOptions listener;
  listener.name = "unix";
  listener.unix_path = path;
  listener.handlers = [](net::Loop&) { return std::make_unique<HealthHandler>(); };
  ASSERT_TRUE(server_.Listen(std::move(listener)).ok());
  EXPECT_TRUE(AnswersReady({}, "unix:" + path));
  EXPECT_TRUE(AnswersReady({.way = Way::kHttp, .path = "/ready"}, "unix:" + path));
  EXPECT_FALSE(AnswersReady({.way = Way::kHttp, .path = "/other"}, "unix:" + path));
  EXPECT_TRUE(AnswersReady({.way = Way::kGrpc, .service = "m"}, "unix:" + path));
  EXPECT_FALSE(AnswersReady({.way = Way::kGrpc, .service = "late"}, "unix:" + path));
  EXPECT_FALSE(AnswersReady({}, "unix:" + path + ".other"));
}

}  // namespace
}  // namespace inferd::node
