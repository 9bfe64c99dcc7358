#include "net/grpc/handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/grpc/call_fixture.h"
#include "net/grpc/call_metrics.h"

namespace inferd::net::grpc {
namespace {

using ::testing::HasSubstr;

class HandlerTest : public CallFixture {};

class OtherHandler final : public HttpHandler {
 public:
  BodyPlan OnHead(const RequestHead&) override { return {}; }
  void OnRequest(HttpRequest, Reply) override {}
};

TEST_F(HandlerTest, UnknownMethodsAreUnimplemented) {
  Serve();
  const auto refused = [&](std::string path) {
    FakeCall call(server_, std::move(path));
    EXPECT_EQ(call.http_status, 200);
    EXPECT_EQ(call.status(), "12");
    EXPECT_TRUE(call.trailers.empty());  // Trailers-Only
    EXPECT_EQ(call.Header("content-type"), "application/grpc");
    return call.message();
  };
  EXPECT_EQ(refused("/t.T/Other"), "unknown method Other for service t.T");
  EXPECT_EQ(refused("/t.U/Unary"), "unknown service t.U");
  EXPECT_EQ(refused("/"), "malformed method name '/'");
  EXPECT_EQ(refused("x"), "malformed method name 'x'");
  EXPECT_EQ(refused("/t.T/Unary?x"), "unknown method Unary?x for service t.T");
}

TEST_F(HandlerTest, WhatIsNoCallIsRefusedByHttp) {
  Serve();
  EXPECT_EQ(FakeCall(server_, "/t.T/Unary", {}, "application/json").http_status, 415);
  EXPECT_EQ(FakeCall(server_, "/t.T/Unary", {}, "").http_status, 415);
  FakeCall get(server_, "/t.T/Unary", {}, "application/grpc", net::Method::kGet);
  EXPECT_EQ(get.http_status, 405);
  EXPECT_EQ(get.Header("allow"), "POST");
  FakeCall old(server_, "/t.T/Unary", {}, "application/grpc", net::Method::kPost, false);
  EXPECT_EQ(old.http_status, 505);
}

TEST_F(HandlerTest, OtherContentTypesAreTheFallbacks) {
  Serve(std::make_unique<OtherHandler>());
  EXPECT_TRUE(FakeCall(server_, "/v2", {}, "application/json").foreign);
  EXPECT_TRUE(FakeCall(server_, "/v2", {}, "").foreign);
  EXPECT_FALSE(FakeCall(server_, "/v2").foreign);
}

TEST_F(HandlerTest, BadHeadersEndTheirCallAlone) {
  Serve();
  const auto status = [&](std::string name, std::string value) {
    return FakeCall(server_, "/t.T/Unary", {{std::move(name), std::move(value)}}).status();
  };
  EXPECT_EQ(status("grpc-timeout", "soon"), "3");
  EXPECT_EQ(status("x-bin", "***"), "3");
  FakeCall encoding(server_, "/t.T/Unary", {{"grpc-encoding", "snappy"}});
  EXPECT_EQ(encoding.status(), "12");
  EXPECT_EQ(encoding.Header("grpc-accept-encoding"), "identity,deflate,gzip");
  admitted_ = base::Status(base::StatusCode::kUnauthenticated, "who?");
  EXPECT_EQ(FakeCall(server_, "/t.T/Unary").message(), "who?");
  EXPECT_EQ(log_, "");
}

TEST_F(HandlerTest, MethodsHearOfTheDrain) {
  Serve();
  server_.handler->OnDrain();
  EXPECT_EQ(log_, "drain;");
}

TEST_F(HandlerTest, CallsAreCounted) {
  metrics::Registry registry;
  CallMetrics metrics(registry);
  server_.metrics = &metrics;
  echo_ = true;
  Serve();
  FakeCall(server_, "/t.T/Unary").Unary("x");
  FakeCall(server_, "/t.T/Stream").Message("x").Vanish();
  FakeCall(server_, "/t.T/Nothing").Unary("x");
  const std::string text = registry.PrometheusText();
  EXPECT_THAT(text, HasSubstr(R"(inferd_grpc_calls_total{method="t.T/Unary",code="OK"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(inferd_grpc_calls_total{method="t.T/Stream",code="CANCELLED"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(inferd_grpc_calls_total{method="unknown",code="UNIMPLEMENTED"} 1)"));
}

}  // namespace
}  // namespace inferd::net::grpc
