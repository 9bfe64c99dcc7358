#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/grpc/fake_call.h"
#include "net/grpc/handler.h"
#include "net/http1/session.h"
#include "net/http2/fake_peer.h"
#include "net/http2/session.h"
#include "tests/support/fake_session_host.h"
#include "tests/support/grpc_echo_service.h"

// Calls through real HTTP sessions, driven by hand.

namespace inferd::net::grpc {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class GrpcSessionTest : public ::testing::Test {
 protected:
  GrpcSessionTest() {
    host_.fake_handler.plan = [this](const RequestHead& head) { return handler_->OnHead(head); };
    host_.fake_handler.answer = [this](HttpRequest request, Reply reply) {
      handler_->OnRequest(std::move(request), std::move(reply));
    };
  }

  // Makes a session that an HTTP/2 client has greeted.
  void Connect() {
    session_ = http2::MakeSession(host_);
    peer_.Exchange(*session_, host_);
  }
  int32_t Call(std::string_view method, std::string body, bool end = true, http2::FakePeer::Fields fields = {}) {
    fields.emplace_back("te", "trailers");
    fields.emplace_back("content-type", "application/grpc");
    return peer_.Request("POST", "/inferd.test.Echo/" + std::string(method), fields, std::move(body), end);
  }
  void Exchange() { peer_.Exchange(*session_, host_); }

  Options options_;
  ManualPool pool_;
  base::FakeClock clock_;
  FakeSessionHost host_;
  std::unique_ptr<HttpHandler> handler_ =
      MakeHandler({.options = options_, .pool = pool_, .clock = clock_}, inferd::support::EchoMethods(), nullptr);
  std::unique_ptr<Session> session_;
  http2::FakePeer peer_;
};

TEST_F(GrpcSessionTest, AUnaryCall) {
  Connect();
  const int32_t id = Call("Unary", Framed("hello"), true, {{"echo-a", "1"}});
  Exchange();
  const auto& answer = peer_[id];
  EXPECT_EQ(answer.status(), 200);
  EXPECT_EQ(answer.body, Framed("hello"));
  EXPECT_EQ(answer.headers.at("grpc-status"), "0");
  EXPECT_EQ(answer.headers.at("echo-a"), "1");
  EXPECT_EQ(answer.headers.at("content-type"), "application/grpc");
  EXPECT_TRUE(answer.closed);
  EXPECT_EQ(answer.error_code, 0u);
  EXPECT_EQ(host_.budget->used(), 0u);
}

TEST_F(GrpcSessionTest, ErrorsEndTheirCallAlone) {
  Connect();
  const int32_t unknown = Call("Nothing", Framed("x"));
  const int32_t timeout = Call("Unary", Framed("x"), true, {{"grpc-timeout", "x"}});
  const int32_t flags = Call("Unary", Framed("x", 7));
  const int32_t failed = Call("Unary", Framed("x"), true, {{"fail-with", "9"}});
  const int32_t good = Call("Unary", Framed("x"));
  Exchange();
  EXPECT_EQ(peer_[unknown].headers.at("grpc-status"), "12");
  EXPECT_EQ(peer_[timeout].headers.at("grpc-status"), "3");
  EXPECT_EQ(peer_[flags].headers.at("grpc-status"), "13");
  EXPECT_EQ(peer_[failed].headers.at("grpc-status"), "9");
  EXPECT_EQ(peer_[failed].headers.at("grpc-message"), "%C3%A9%25%0A");
  EXPECT_EQ(peer_[good].headers.at("grpc-status"), "0");
  EXPECT_TRUE(peer_.goaways.empty());
}

TEST_F(GrpcSessionTest, ABidirectionalStream) {
  Connect();
  const int32_t id = Call("Bidi", "", false);
  Exchange();
  EXPECT_EQ(peer_[id].status(), 0);
  std::string sent;
  for (int i = 0; i < 5; ++i) {
    const std::string message = Framed(std::string(static_cast<size_t>(i) * 40'000, 'm'));
    peer_.More(id, message, false);
    Exchange();
    sent += message;
    EXPECT_EQ(peer_[id].body, sent);
  }
  peer_.More(id, "", true);
  Exchange();
  EXPECT_EQ(peer_[id].headers.at("grpc-status"), "0");
  EXPECT_TRUE(peer_[id].closed);
}

TEST_F(GrpcSessionTest, ACancelledCallIsGone) {
  Connect();
  const int32_t id = Call("ClientStream", Framed(std::string(100'000, 'x')) + "part", false);
  Exchange();
  EXPECT_EQ(session_->in_flight(), 1u);
  EXPECT_GT(host_.budget->used(), 0u);
  peer_.Reset(id);
  Exchange();
  EXPECT_EQ(session_->in_flight(), 0u);
  EXPECT_EQ(host_.budget->used(), 0u);
}

TEST_F(GrpcSessionTest, AClosedConnectionEndsItsCalls) {
  Connect();
  Call("ClientStream", Framed("x"), false);
  Call("Bidi", Framed("x"), false);
  Call("Unary", "", false);
  Exchange();
  EXPECT_EQ(session_->in_flight(), 3u);
  session_->OnClosed();
  host_.fake_loop.RunAll();
  EXPECT_EQ(host_.budget->used(), 0u);
  EXPECT_EQ(host_.net_metrics.in_flight(), 0);
}

// A client sends and does not read: windows and the high-water mark bound the bytes that wait, in both directions.
TEST_F(GrpcSessionTest, AClientThatDoesNotReadIsNotRead) {
  http2::FakePeer slow(1000);
  session_ = http2::MakeSession(host_);
  slow.Exchange(*session_, host_);
  const int32_t id = slow.Request("POST", "/inferd.test.Echo/Bidi", {{"content-type", "application/grpc"}}, "", false);
  constexpr size_t kMessages = 400;
  const std::string message = Framed(std::string(20'000, 'm'));
  for (size_t i = 0; i < kMessages; ++i) slow.More(id, message, i + 1 == kMessages);
  slow.Exchange(*session_, host_);
  EXPECT_LE(slow[id].body.size(), 1000u);
  EXPECT_LT(host_.budget->used(), 3u << 20);
  for (int i = 0; i < 1000 && !slow[id].closed; ++i) {
    slow.OpenWindow(id, 64 * 1024);
    slow.Exchange(*session_, host_);
  }
  EXPECT_EQ(slow[id].body.size(), kMessages * message.size());
  EXPECT_EQ(slow[id].headers.at("grpc-status"), "0");
}

TEST_F(GrpcSessionTest, GrpcWebOverHttp1) {
  session_ = std::make_unique<http1::Session>(host_, nullptr);
  const auto post = [&](std::string_view method, std::string_view body) {
    Feed(*session_, "POST /inferd.test.Echo/" + std::string(method) +
                        " HTTP/1.1\r\nHost: a\r\nContent-Type: application/grpc-web+proto\r\nContent-Length: " +
                        std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
    host_.fake_loop.RunAll();
    return TakeAll(*session_);
  };
  const std::string ok = Framed("grpc-status: 0\r\n", '\x80');
  for (int i = 0; i < 2; ++i) {
    const std::string unary = post("Unary", Framed("hello"));
    EXPECT_THAT(unary, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(unary, HasSubstr("Content-Type: application/grpc-web+proto\r\n"));
    EXPECT_THAT(unary, EndsWith("\r\n\r\n" + Framed("hello") + ok));
  }
  const std::string twice = Framed(std::string("\2\0\0\0", 4));
  const std::string stream = post("ServerStream", twice);
  EXPECT_THAT(stream, HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_THAT(stream, HasSubstr(twice));
  EXPECT_THAT(stream, HasSubstr(ok));
  EXPECT_THAT(post("Nothing", Framed("x")), HasSubstr("grpc-status: 12\r\n"));
}

TEST_F(GrpcSessionTest, PlainGrpcOverHttp1IsRefused) {
  session_ = std::make_unique<http1::Session>(host_, nullptr);
  Feed(*session_,
       "POST /inferd.test.Echo/Unary HTTP/1.1\r\nHost: a\r\nContent-Type: application/grpc\r\n"
       "Content-Length: 0\r\n\r\n");
  EXPECT_THAT(TakeAll(*session_), StartsWith("HTTP/1.1 505 "));
}

}  // namespace
}  // namespace inferd::net::grpc
