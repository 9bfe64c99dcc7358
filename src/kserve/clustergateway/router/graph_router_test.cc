#include "kserve/clustergateway/router/graph_router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/client/scripted_server.h"
#include "tests/support/raw_client.h"

namespace inferd::clustergateway {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string Ask(const GraphRouter& router, const std::string& request, std::string_view end) {
  support::RawClient client(router.port());
  EXPECT_TRUE(client.Send(request));
  return client.ReadUntil(end);
}

TEST(GraphRouterTest, AnyRequestIsTheGraphsAndReadinessIsTheKubelets) {
  const auto logger = base::Logger::Silent();
  std::string seen;
  net::ScriptedServer step([&](const std::string& request) {
    seen = request;
    return std::string("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{\"n\": 1 }");
  });
  GraphRouterOptions options;
  options.graph = R"({"nodes":{"root":{"routerType":"Sequence","steps":[{"serviceUrl":"http://localhost:)" +
                  std::to_string(step.port()) + R"(/v1/models/m:predict"}]}}})";
  options.address = "127.0.0.1";
  options.port = 0;
  options.propagated = {"^x-mine$"};
  options.drain_grace = std::chrono::milliseconds(0);
  const auto router = GraphRouter::Start(options, *logger);
  ASSERT_TRUE(router.has_value()) << router.error().message();
  EXPECT_THAT(Ask(**router, "GET /readyz HTTP/1.1\r\nHost: g\r\n\r\n", "ok"), StartsWith("HTTP/1.1 200 "));
  const std::string answer =
      Ask(**router, "POST /any HTTP/1.1\r\nHost: g\r\nX-Mine: 1\r\nX-Other: 2\r\nContent-Length: 2\r\n\r\n{}",
          "{\"n\": 1 }");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(seen, AllOf(StartsWith("POST /v1/models/m:predict HTTP/1.1\r\nHost: localhost:"), HasSubstr("X-Mine: 1"),
                          Not(HasSubstr("X-Other"))));
  (*router)->Drain();
}

TEST(GraphRouterTest, ConnectionsHaveTheGraphsTimeouts) {
  const auto logger = base::Logger::Silent();
  GraphRouterOptions options;
  options.graph = R"({"nodes":{"root":{"routerType":"Sequence","steps":[{"serviceUrl":"http://10.0.0.1/"}]}},
    "routerTimeouts":{"serverRead":1,"serverIdle":1}})";
  options.address = "127.0.0.1";
  options.port = 0;
  const auto router = GraphRouter::Start(options, *logger);
  ASSERT_TRUE(router.has_value()) << router.error().message();
  support::RawClient slow((*router)->port());
  support::RawClient idle((*router)->port());
  EXPECT_TRUE(slow.Send("POST / HTTP/1.1\r\nHost: g\r\nContent-Length: 2\r\n\r\n{"));
  EXPECT_TRUE(idle.Send("GET /readyz HTTP/1.1\r\nHost: g\r\n\r\n"));
  EXPECT_THAT(slow.ReadUntil(), StartsWith("HTTP/1.1 408 ")) << "and it is closed";
  EXPECT_THAT(idle.ReadUntil(), StartsWith("HTTP/1.1 200 ")) << "and it is closed";
}

TEST(GraphRouterTest, WhatCannotBeRunDoesNotStart) {
  const auto logger = base::Logger::Silent();
  GraphRouterOptions options;
  options.graph = R"({"nodes":{"root":{"routerType":"Sequence","steps":[{"serviceUrl":"http://10.0.0.1/"}]}}})";
  options.propagated = {"("};
  const auto refused = GraphRouter::Start(options, *logger);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(std::string(refused.error().message()), StartsWith("PROPAGATE_HEADERS: "));
  options.graph = "{}";
  EXPECT_EQ(GraphRouter::Start(options, *logger).error().code(), base::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace inferd::clustergateway
