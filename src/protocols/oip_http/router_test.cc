#include "protocols/oip_http/router.h"

#include <gtest/gtest.h>

namespace inferd::oip_http {
namespace {

using net::Method;
using Segments = std::vector<std::string_view>;

TEST(RouterTest, FindsEveryEndpoint) {
  const struct {
    Method method;
    Segments segments;
    Endpoint endpoint;
    Route route;
  } cases[] = {
      {Method::kGet, {"v2"}, Endpoint::kServerMetadata, {}},
      {Method::kGet, {"v2", ""}, Endpoint::kServerMetadata, {}},
      {Method::kHead, {"v2"}, Endpoint::kServerMetadata, {}},
      {Method::kGet, {"v2", "health", "live"}, Endpoint::kServerLive, {}},
      {Method::kGet, {"v2", "health", "ready"}, Endpoint::kServerReady, {}},
      {Method::kGet, {"v2", "models"}, Endpoint::kModelNames, {}},
      {Method::kGet, {"v2", "models", "stats"}, Endpoint::kModelStatistics, {}},
      {Method::kGet, {"v2", "models", "m"}, Endpoint::kModelMetadata, {.model = "m"}},
      {Method::kGet, {"v2", "models", "m", "versions", "2"}, Endpoint::kModelMetadata, {.model = "m", .version = "2"}},
      {Method::kGet, {"v2", "models", "m", "ready"}, Endpoint::kModelReady, {.model = "m"}},
      {Method::kGet,
       {"v2", "models", "a/b", "versions", "v1", "ready"},
       Endpoint::kModelReady,
       {.model = "a/b", .version = "v1"}},
      {Method::kGet, {"v2", "models", "m", "config"}, Endpoint::kModelConfig, {.model = "m"}},
      {Method::kGet,
       {"v2", "models", "m", "versions", "2", "stats"},
       Endpoint::kModelStatistics,
       {.model = "m", .version = "2"}},
      {Method::kGet, {"v2", "models", "m", "scheduler"}, Endpoint::kModelScheduler, {.model = "m"}},
      {Method::kGet,
       {"v2", "models", "m", "versions", "2", "scheduler"},
       Endpoint::kModelScheduler,
       {.model = "m", .version = "2"}},
      {Method::kPost, {"v2", "models", "m", "infer"}, Endpoint::kInfer, {.model = "m"}},
      {Method::kPost,
       {"v2", "models", "m", "versions", "2", "infer"},
       Endpoint::kInfer,
       {.model = "m", .version = "2"}},
      {Method::kPost, {"v2", "repository", "index"}, Endpoint::kRepositoryIndex, {}},
      {Method::kPost, {"v2", "repository", "r", "index"}, Endpoint::kRepositoryIndex, {.repository = "r"}},
      {Method::kPost, {"v2", "repository", "models", "m", "load"}, Endpoint::kModelLoad, {.model = "m"}},
      {Method::kPost,
       {"v2", "repository", "r", "models", "m", "unload"},
       Endpoint::kModelUnload,
       {.model = "m", .repository = "r"}},
      {Method::kGet, {"v2", "logging"}, Endpoint::kLogging, {}},
      {Method::kPost, {"v2", "logging"}, Endpoint::kLogging, {}},
      {Method::kGet, {"metrics"}, Endpoint::kMetrics, {}},
  };
  for (const auto& c : cases) {
    const RouteResult result = FindRoute(c.method, c.segments);
    ASSERT_TRUE(result.found) << ::testing::PrintToString(c.segments);
    EXPECT_EQ(result.route.endpoint, c.endpoint) << ::testing::PrintToString(c.segments);
    EXPECT_EQ(result.route.model, c.route.model);
    EXPECT_EQ(result.route.version, c.route.version);
    EXPECT_EQ(result.route.repository, c.route.repository);
  }
}

TEST(RouterTest, OtherPathsAreUnknownInEveryMethod) {
  const Segments cases[] = {
      {},
      {""},
      {"v1"},
      {"V2"},
      {"v2", "", "health"},
      {"v2", "health"},
      {"v2", "health", "live", ""},
      {"v2", "Health", "live"},
      {"v2", "models", ""},
      {"v2", "models", "", "infer"},
      {"v2", "models", "m", ""},
      {"v2", "models", "m", "Infer"},
      {"v2", "models", "m", "versions"},
      {"v2", "models", "m", "versions", "", "infer"},
      {"v2", "models", "m", "infer", "x"},
      {"v2", "models", "m", "versions", "1", "trace", "setting"},
      {"v2", "repository", "", "index"},
      {"v2", "repository", "models", "m"},
      {"v2", "systemsharedmemory"},
      {"v2", "systemsharedmemory", "region", "status"},
      {"v2", "systemsharedmemory", "region", "", "status"},
      {"v2", "systemsharedmemory", "region", "r", "status", ""},
      {"v2", "systemsharedmemory", "regions", "r", "status"},
      {"v2", "cudasharedmemory", "register", "region", "r"},
  };
  for (const Segments& segments : cases) {
    const RouteResult result = FindRoute(Method::kGet, segments);
    EXPECT_FALSE(result.found) << ::testing::PrintToString(segments);
    EXPECT_EQ(result.allow, "") << ::testing::PrintToString(segments);
  }
}

TEST(RouterTest, EveryEndpointIsInAGroup) {
  using access::Group;
  EXPECT_EQ(GroupOf(Endpoint::kServerLive), Group::kHealth);
  EXPECT_EQ(GroupOf(Endpoint::kModelReady), Group::kHealth);
  EXPECT_EQ(GroupOf(Endpoint::kModelNames), Group::kMetadata);
  EXPECT_EQ(GroupOf(Endpoint::kInfer), Group::kInference);
  EXPECT_EQ(GroupOf(Endpoint::kModelConfig), Group::kModelConfig);
  EXPECT_EQ(GroupOf(Endpoint::kRepositoryIndex), Group::kModelRepository);
  EXPECT_EQ(GroupOf(Endpoint::kModelUnload), Group::kModelRepository);
  EXPECT_EQ(GroupOf(Endpoint::kModelStatistics), Group::kStatistics);
  EXPECT_EQ(GroupOf(Endpoint::kModelScheduler), Group::kStatistics);
  EXPECT_EQ(GroupOf(Endpoint::kLogging), Group::kLogging);
  EXPECT_EQ(GroupOf(Endpoint::kMetrics), Group::kMetrics);
}

TEST(RouterTest, WhatChangesTheServerIsControl) {
  using access::ControlCall;
  EXPECT_EQ(ControlOf(Endpoint::kModelLoad, Method::kPost), ControlCall::kByName);
  EXPECT_EQ(ControlOf(Endpoint::kModelUnload, Method::kPost), ControlCall::kByName);
  EXPECT_EQ(ControlOf(Endpoint::kLogging, Method::kPost), ControlCall::kOther);
  EXPECT_EQ(ControlOf(Endpoint::kLogging, Method::kGet), std::nullopt);
  EXPECT_EQ(ControlOf(Endpoint::kRepositoryIndex, Method::kPost), std::nullopt);
  EXPECT_EQ(ControlOf(Endpoint::kInfer, Method::kPost), std::nullopt);
}

TEST(RouterTest, KnownPathsNameTheirMethods) {
  RouteResult result = FindRoute(Method::kGet, Segments{"v2", "models", "m", "infer"});
  EXPECT_FALSE(result.found);
  EXPECT_EQ(result.allow, "POST");
  result = FindRoute(Method::kPost, Segments{"v2", "health", "live"});
  EXPECT_FALSE(result.found);
  EXPECT_EQ(result.allow, "GET, HEAD");
  result = FindRoute(Method::kDelete, Segments{"v2", "logging"});
  EXPECT_FALSE(result.found);
  EXPECT_EQ(result.allow, "GET, HEAD, POST");
}

}  // namespace
}  // namespace inferd::oip_http
