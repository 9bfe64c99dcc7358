#include "protocols/kserve_v1/router.h"

#include <gtest/gtest.h>

#include <string>

#include "net/http/target.h"

namespace inferd::kserve_v1 {
namespace {

// Returns "<endpoint> <model>".
std::string Found(net::Method method, std::string_view target) {
  net::RequestHead head;
  head.method = method;
  if (!net::ParseTarget(target, head).ok()) return "no target";
  const Route route = FindRoute(head);
  constexpr std::string_view kNames[] = {"none", "wrong verb", "alive", "models", "model", "predict", "explain"};
  return std::string(kNames[static_cast<size_t>(route.endpoint)]).append(" ").append(route.model);
}
std::string Get(std::string_view target) { return Found(net::Method::kGet, target); }
std::string Post(std::string_view target) { return Found(net::Method::kPost, target); }

TEST(RouterTest, FindsTheEndpoints) {
  EXPECT_EQ(Get("/"), "alive ");
  EXPECT_EQ(Get("/?probe=1"), "alive ");
  EXPECT_EQ(Get("/v1/models"), "models ");
  EXPECT_EQ(Get("/v1/models/m"), "model m");
  EXPECT_EQ(Found(net::Method::kHead, "/v1/models/m"), "model m");
  EXPECT_EQ(Post("/v1/models/m:predict"), "predict m");
  EXPECT_EQ(Post("/v1/models/m:predict?x=1"), "predict m");
  EXPECT_EQ(Post("/v1/models/a%20b:explain"), "explain a b");
  EXPECT_EQ(Post("/v1/models/a:b:predict"), "predict a:b");
  EXPECT_EQ(Get("/v1/models/m:predict"), "model m:predict") << "as KServe's servers match it";
}

TEST(RouterTest, LeavesTheRestToOthers) {
  for (const char* target :
       {"/v1", "/v1/models/m/versions/1", "/v1/models/m/metadata", "/V1/models/m", "/v2", "/v1/model/m"}) {
    EXPECT_EQ(Get(target), "none ") << target;
  }
  EXPECT_EQ(Post("/v1/models/m/versions/1:predict"), "none ");
  EXPECT_EQ(Post("/v1/models/m:classify"), "wrong verb m:classify");
  EXPECT_EQ(Post("/v1/models"), "wrong verb ");
  EXPECT_EQ(Found(net::Method::kPut, "/v1/models/m:predict"), "wrong verb m:predict");
}

}  // namespace
}  // namespace inferd::kserve_v1
