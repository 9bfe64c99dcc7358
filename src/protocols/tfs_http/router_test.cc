#include "protocols/tfs_http/router.h"

#include <gtest/gtest.h>

#include <string>

#include "protocols/tfs_http/handler_fixture.h"

namespace inferd::tfs_http {
namespace {

constexpr std::string_view kMetricsPath = "/monitoring/prometheus/metrics";

// Returns "endpoint model version label".
std::string Find(net::Method method, const std::string& target) {
  const net::HttpRequest request = Request(method, target);
  const Route route = FindRoute(request.head, kMetricsPath);
  std::string text;
  switch (route.endpoint) {
    case Endpoint::kMalformed: return "malformed";
    case Endpoint::kModels: text = "models"; break;
    case Endpoint::kStatus: text = "status"; break;
    case Endpoint::kMetadata: text = "metadata"; break;
    case Endpoint::kPredict: text = "predict"; break;
    case Endpoint::kClassify: text = "classify"; break;
    case Endpoint::kRegress: text = "regress"; break;
    case Endpoint::kMetrics: text = "metrics"; break;
    case Endpoint::kPreflight: text = "preflight"; break;
  }
  for (const std::string_view part : {route.model, route.version, route.label}) {
    text.append(" ").append(part.empty() ? "-" : part);
  }
  return text;
}
std::string Get(const std::string& target) { return Find(net::Method::kGet, target); }
std::string Post(const std::string& target) { return Find(net::Method::kPost, target); }

TEST(RouterTest, EachEndpointOfTheDocument) {
  EXPECT_EQ(Get("/v1/models"), "models - - -");
  EXPECT_EQ(Get("/v1/models/m"), "status m - -");
  EXPECT_EQ(Get("/v1/models/m/versions/314"), "status m 314 -");
  EXPECT_EQ(Get("/v1/models/m/labels/stable"), "status m - stable");
  EXPECT_EQ(Get("/v1/models/m/metadata"), "metadata m - -");
  EXPECT_EQ(Get("/v1/models/m/versions/1/metadata"), "metadata m 1 -");
  EXPECT_EQ(Get("/v1/models/m/labels/l/metadata"), "metadata m - l");
  EXPECT_EQ(Post("/v1/models/iris:predict"), "predict iris - -");
  EXPECT_EQ(Post("/v1/models/mnist/versions/314:predict"), "predict mnist 314 -");
  EXPECT_EQ(Post("/v1/models/mnist/labels/stable:predict"), "predict mnist - stable");
  EXPECT_EQ(Post("/v1/models/iris:classify"), "classify iris - -");
  EXPECT_EQ(Post("/v1/models/iris/versions/2:regress"), "regress iris 2 -");
  EXPECT_EQ(Find(net::Method::kOptions, "/v1/models/m:predict"), "preflight - - -");
  EXPECT_EQ(Get("/monitoring/prometheus/metrics"), "metrics - - -");
  EXPECT_EQ(Post("/monitoring/prometheus/metrics"), "malformed");
  EXPECT_EQ(Find(net::Method::kHead, "/v1/models/m"), "status m - -");
}

TEST(RouterTest, WordsMatchInAnyCaseButForTheVerb) {
  EXPECT_EQ(Get("/V1/Models/M/Versions/1/MetaData"), "metadata M 1 -");
  EXPECT_EQ(Post("/v1/MODELS/m/LABELS/L:predict"), "predict m - L");
  EXPECT_EQ(Post("/v1/models/m:PREDICT"), "malformed");
}

TEST(RouterTest, NamesAreDecodedBehindTheMatch) {
  EXPECT_EQ(Post("/v1/models/a%3Ab%2Fc%20d:predict"), "predict a:b/c d - -");
  EXPECT_EQ(Get("/v1/models/modelname%21%23%3A%40"), "status modelname!#:@ - -");
  EXPECT_EQ(Post("/v1/models/m/labels/a%3Ab:predict"), "predict m - a:b");
  EXPECT_EQ(Post("/v1/models/m%3Apredict"), "malformed") << "an escaped colon is no verb's";
  EXPECT_EQ(Get("http://host:8501/v1/models/m"), "status m - -");
}

TEST(RouterTest, WhatFitsNoPatternIsMalformed) {
  for (const char* target : {"/",
                             "/v1",
                             "/v1/",
                             "/v1/models/",
                             "/v1/model/m",
                             "/v1/models/m/",
                             "/v1/models/m:predict",
                             "/v1/models/a:b",
                             "/v1/models/m/versions",
                             "/v1/models/m/versions/",
                             "/v1/models/m/versions/x",
                             "/v1/models/m/versions/-1",
                             "/v1/models/m/versions/1/labels/l",
                             "/v1/models/m/versions/1/labels/l/metadata",
                             "/v1/models/m/other/1",
                             "/v1/models/m/metadata/x",
                             "/v1/models/m?x=1",
                             "/v1/models/m/metadata?x",
                             "/v1/models//metadata",
                             "/v2/models/m"}) {
    EXPECT_EQ(Get(target), "malformed") << target;
  }
  for (const char* target :
       {"/", "/v1", "/v1/models", "/v1/models:predict", "/v1/models/:predict", "/v1/models/m",
        "/v1/models/m:", "/v1/models/m:explain", "/v1/models/m:predict:predict", "/v1/models/m:predict/",
        "/v1/models/m:predict?x=1", "/v1/models/m/versions/1", "/v1/models/m/versions/:predict",
        "/v1/models/m/versions/a:predict", "/v1/models/m/labels/:predict", "/v1/models/m/versions/1/labels/l:predict",
        "/v1/models/m/metadata:predict", "/v1/a/b/c/d/e/f/g:predict"}) {
    EXPECT_EQ(Post(target), "malformed") << target;
  }
  EXPECT_EQ(Find(net::Method::kPut, "/v1/models/m:predict"), "malformed");
  EXPECT_EQ(Find(net::Method::kDelete, "/v1/models/m"), "malformed");
}

TEST(RouterTest, WhichPathsAreOurs) {
  EXPECT_TRUE(IsOurs(Request(net::Method::kGet, "/v1/models").head, kMetricsPath));
  EXPECT_TRUE(IsOurs(Request(net::Method::kGet, "/V1").head, kMetricsPath));
  EXPECT_FALSE(IsOurs(Request(net::Method::kGet, "/v2/models").head, kMetricsPath));
  EXPECT_FALSE(IsOurs(Request(net::Method::kGet, "/").head, kMetricsPath));
  EXPECT_TRUE(IsOurs(Request(net::Method::kGet, "/monitoring/prometheus/metrics").head, kMetricsPath));
  EXPECT_FALSE(IsOurs(Request(net::Method::kGet, "/monitoring/prometheus").head, kMetricsPath));
  EXPECT_FALSE(IsOurs(Request(net::Method::kGet, kMetricsPath).head, ""));
  EXPECT_TRUE(IsOurs(Request(net::Method::kGet, "/my/metrics?x").head, "/my/metrics"));
  EXPECT_FALSE(IsOurs(Request(net::Method::kGet, "/my/metrics2").head, "/my/metrics"));
}

TEST(RouterTest, WhatIsRestrictedTogether) {
  EXPECT_EQ(GroupOf(Endpoint::kPredict), access::Group::kInference);
  EXPECT_EQ(GroupOf(Endpoint::kMetadata), access::Group::kMetadata);
  EXPECT_EQ(GroupOf(Endpoint::kModels), access::Group::kMetadata);
  EXPECT_EQ(GroupOf(Endpoint::kStatus), access::Group::kHealth);
  EXPECT_EQ(GroupOf(Endpoint::kMetrics), access::Group::kMetrics);
}

}  // namespace
}  // namespace inferd::tfs_http
