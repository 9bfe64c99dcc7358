#include "protocols/mlflow_http/router.h"

#include <gtest/gtest.h>

#include <string>

#include "net/http/target.h"

namespace inferd::mlflow_http {
namespace {

// Returns "<endpoint> <model>".
std::string Found(net::Method method, std::string_view target) {
  net::RequestHead head;
  head.method = method;
  if (!net::ParseTarget(target, head).ok()) return "no target";
  const Route route = FindRoute(head);
  constexpr std::string_view kNames[] = {"none", "wrong verb", "ping", "version", "invocations"};
  return std::string(kNames[static_cast<size_t>(route.endpoint)]).append(" ").append(route.model);
}
std::string Get(std::string_view target) { return Found(net::Method::kGet, target); }
std::string Post(std::string_view target) { return Found(net::Method::kPost, target); }

TEST(RouterTest, FindsTheEndpoints) {
  EXPECT_EQ(Get("/ping"), "ping ");
  EXPECT_EQ(Found(net::Method::kHead, "/health?x=1"), "ping ");
  EXPECT_EQ(Get("/version"), "version ");
  EXPECT_EQ(Post("/invocations"), "invocations ");
  EXPECT_EQ(Post("/models/a%20b/invocations"), "invocations a b");
}

TEST(RouterTest, LeavesTheRestToOthers) {
  for (const char* target : {"/", "/pings", "/ping/x", "/models", "/models/m", "/models//invocations", "/v2"}) {
    EXPECT_EQ(Get(target), "none ") << target;
    EXPECT_EQ(Post(target), "none ") << target;
  }
  EXPECT_EQ(Get("/invocations"), "wrong verb ");
  EXPECT_EQ(Get("/models/m/invocations"), "wrong verb m");
  EXPECT_EQ(Post("/version"), "wrong verb ");
}

}  // namespace
}  // namespace inferd::mlflow_http
