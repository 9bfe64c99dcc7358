#include "protocols/grpc_health/health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "health/health.pb.h"
#include "net/grpc/fake_call.h"
#include "protocols/grpc_health/fake_catalog.h"

namespace inferd::grpc_health {
namespace {

using ::grpc::health::v1::HealthCheckRequest;
using ::grpc::health::v1::HealthCheckResponse;
using net::grpc::FakeCall;
using ::testing::ElementsAre;

constexpr std::chrono::milliseconds kLook{100};

class HealthTest : public ::testing::Test {
 protected:
  HealthTest() { Serve({.catalog = catalog_, .draining = draining_, .services = {"a.Service"}, .watchers_max = 3}); }

  void Serve(Environment environment) { server_.Serve(Methods(std::move(environment))); }

  static std::string Asking(std::string_view service) {
    HealthCheckRequest request;
    request.set_service(std::string(service));
    return request.SerializeAsString();
  }
  std::unique_ptr<FakeCall> Ask(const std::string& method, std::string_view service) {
    auto call = std::make_unique<FakeCall>(server_, "/grpc.health.v1.Health/" + method);
    call->Unary(Asking(service));
    return call;
  }
  std::unique_ptr<FakeCall> Check(std::string_view service) { return Ask("Check", service); }
  std::unique_ptr<FakeCall> Watch(std::string_view service) { return Ask("Watch", service); }
  static std::vector<int> States(const FakeCall& call) {
    std::vector<int> states;
    for (const std::string& message : call.Messages()) {
      HealthCheckResponse response;
      EXPECT_TRUE(response.ParseFromString(message.substr(2)));
      states.push_back(response.status());
    }
    return states;
  }

  FakeCatalog catalog_;
  std::atomic<bool> draining_{false};
  net::grpc::FakeServer server_;
};

TEST_F(HealthTest, CheckSaysTheState) {
  EXPECT_THAT(States(*Check("")), ElementsAre(HealthCheckResponse::SERVING));
  catalog_.ready = false;
  EXPECT_THAT(States(*Check("a.Service")), ElementsAre(HealthCheckResponse::NOT_SERVING));
  catalog_.models["m"] = base::OkStatus();
  EXPECT_THAT(States(*Check("m")), ElementsAre(HealthCheckResponse::SERVING));
}

TEST_F(HealthTest, CheckOfAnUnknownServiceIsNotFound) {
  const auto call = Check("b.Service");
  EXPECT_EQ(call->status(), "5");
  EXPECT_EQ(call->message(), "unknown service 'b.Service'");
}

TEST_F(HealthTest, WhatIsNoRequestIsInvalid) {
  for (const char* method : {"Check", "Watch"}) {
    FakeCall call(server_, std::string("/grpc.health.v1.Health/") + method);
    call.Unary("\x0a\x05no");
    EXPECT_EQ(call.status(), "3") << method;
  }
}

TEST_F(HealthTest, AWatchHearsOfEveryChange) {
  const auto call = Watch("");
  EXPECT_THAT(States(*call), ElementsAre(HealthCheckResponse::SERVING));
  server_.loop.Advance(kLook * 3);
  EXPECT_EQ(call->Messages().size(), 1u);
  catalog_.ready = false;
  server_.loop.Advance(kLook);
  catalog_.ready = true;
  server_.loop.Advance(kLook);
  EXPECT_THAT(States(*call), ElementsAre(HealthCheckResponse::SERVING, HealthCheckResponse::NOT_SERVING,
                                         HealthCheckResponse::SERVING));
  EXPECT_FALSE(call->ended);
}

TEST_F(HealthTest, AnUnknownServiceMayComeUp) {
  const auto call = Watch("m");
  EXPECT_THAT(States(*call), ElementsAre(HealthCheckResponse::SERVICE_UNKNOWN));
  catalog_.models["m"] = base::OkStatus();
  server_.loop.Advance(kLook);
  EXPECT_THAT(States(*call), ElementsAre(HealthCheckResponse::SERVICE_UNKNOWN, HealthCheckResponse::SERVING));
}

TEST_F(HealthTest, NobodyLooksWhenNobodyWatches) {
  EXPECT_EQ(server_.loop.timers(), 0u);
  const auto call = Watch("");
  EXPECT_EQ(server_.loop.timers(), 1u);
  call->Vanish();
  server_.loop.RunPosted();
  server_.loop.Advance(kLook);
  EXPECT_EQ(server_.loop.timers(), 0u);
}

TEST_F(HealthTest, AClientThatDoesNotReadGetsTheLastStateWhenItDoes) {
  FakeCall call(server_, "/grpc.health.v1.Health/Watch");
  call.window_open = false;
  call.Unary(Asking(""));
  catalog_.ready = false;
  server_.loop.Advance(kLook);
  catalog_.ready = true;
  server_.loop.Advance(kLook);
  catalog_.ready = false;
  server_.loop.Advance(kLook);
  EXPECT_EQ(call.Messages().size(), 1u);
  ASSERT_TRUE(call.writable);
  call.window_open = true;
  std::exchange(call.writable, {})();
  server_.loop.Advance(kLook);
  EXPECT_THAT(States(call), ElementsAre(HealthCheckResponse::SERVING, HealthCheckResponse::NOT_SERVING));
}

TEST_F(HealthTest, ThereIsALimitOfWatchers) {
  std::vector<std::unique_ptr<FakeCall>> calls;
  for (int i = 0; i < 3; ++i) calls.push_back(Watch(""));
  EXPECT_EQ(Watch("")->status(), "8");
  calls[1]->Vanish();
  server_.loop.RunPosted();
  server_.loop.Advance(kLook);
  EXPECT_EQ(Watch("")->status(), "");
}

TEST_F(HealthTest, ADrainIsToldAndEndsEveryWatch) {
  const auto call = Watch("");
  draining_ = true;
  server_.loop.Advance(kLook);
  EXPECT_THAT(States(*call), ElementsAre(HealthCheckResponse::SERVING, HealthCheckResponse::NOT_SERVING));
  const auto late = Watch("a.Service");
  server_.handler->OnDrain();
  EXPECT_EQ(call->status(), "14");
  EXPECT_EQ(late->status(), "14");
  EXPECT_THAT(States(*late), ElementsAre(HealthCheckResponse::NOT_SERVING));
  const auto later = Watch("");
  EXPECT_EQ(later->status(), "14");
  EXPECT_THAT(States(*later), ElementsAre(HealthCheckResponse::NOT_SERVING));
}

TEST_F(HealthTest, TheServicesMayGoBeforeTheirCalls) {
  const auto call = Watch("");
  server_.handler.reset();
  server_.loop.Advance(kLook);
  EXPECT_EQ(server_.loop.timers(), 0u);
}

}  // namespace
}  // namespace inferd::grpc_health
