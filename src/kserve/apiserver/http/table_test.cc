#include "kserve/apiserver/http/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/manifest/print.h"
#include "data/manifest/read.h"
#include "data/manifest/value_path.h"
#include "kserve/apiserver/http/api_path.h"
#include "kserve/apiserver/http/discovery.h"
#include "net/http/target.h"

namespace inferd::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(AgeOf, IsAsKubernetesShowsIt) {
  const int64_t begin = 1'700'000'000;  // 2023-11-14T22:13:20Z
  const struct {
    int64_t seconds;
    std::string_view age;
  } cases[] = {{-5, "0s"},      {0, "0s"},         {119, "119s"},   {120, "2m"},      {185, "3m5s"},
               {600, "10m"},    {7200, "120m"},    {10'800, "3h"},  {14'460, "4h1m"}, {28'800, "8h"},
               {172'800, "2d"}, {176'400, "2d1h"}, {864'000, "10d"}};
  for (const auto& each : cases) EXPECT_EQ(AgeOf("2023-11-14T22:13:20Z", begin + each.seconds), each.age);
  EXPECT_EQ(AgeOf("yesterday", begin), "");
}

std::string Cells(std::string_view api_version, std::string_view kind, std::string_view object) {
  const manifest::Value value = std::move(manifest::ReadYaml(object, "test")->front());
  const manifest::Value table = TableOf(*FindKind(api_version, kind), std::span(&value, 1), TableObjects::kNone, 0);
  return manifest::ToJson(*table.Find("rows")->items().front().Find("cells"));
}

TEST(TableOf, HasTheColumnsOfTheKind) {
  EXPECT_EQ(
      Cells("serving.kserve.io/v1beta1", "InferenceService",
            "{metadata: {name: a, creationTimestamp: '1970-01-01T00:00:00Z'}, status: {url: u, conditions: [{type: "
            "IngressReady, status: x}, {type: Ready, status: 'True'}], components: {predictor: {traffic: "
            "[{latestRevision: true, percent: 20, revisionName: r2}, {tag: prev, percent: 80, revisionName: r1}]}}}}"),
      R"(["a","u","True",80,20,"r1","r2","0s"])");
  EXPECT_EQ(Cells("serving.kserve.io/v1beta1", "InferenceService", "{metadata: {name: a}}"),
            R"(["a",null,null,null,null,null,null,""])");
  EXPECT_EQ(
      Cells("serving.kserve.io/v1alpha1", "ClusterServingRuntime",
            "{metadata: {name: a}, spec: {disabled: true, supportedModelFormats: [{name: onnx}], containers: [{name: "
            "c}]}}"),
      R"(["a","true","onnx","c",""])");
  EXPECT_EQ(Cells("v1", "ConfigMap", "{metadata: {name: a}, data: {x: y}}"), R"(["a",1,""])");
  EXPECT_EQ(Cells("v1", "Pod",
                  "{metadata: {name: a}, status: {phase: Running, containerStatuses: [{ready: false, restartCount: 2, "
                  "state: {waiting: {reason: CrashLoopBackOff}}}]}}"),
            R"(["a","0/1","CrashLoopBackOff",2,""])");
  // Malformed objects have empty cells, and do no harm.
  EXPECT_EQ(Cells("serving.kserve.io/v1beta1", "InferenceService", "{status: [1], metadata: x}"),
            R"([null,null,null,null,null,null,null,""])");
}

class HeadTest : public ::testing::Test {
 protected:
  const net::RequestHead& Head(std::string_view target) {
    head_ = net::RequestHead();
    head_.method = net::Method::kGet;
    EXPECT_TRUE(net::ParseTarget(target, head_).ok());
    return head_;
  }
  // Returns "RESOURCE NAMESPACE NAME SUBRESOURCE", or "none".
  std::string Path(std::string_view target) {
    const auto path = ParseApiPath(Head(target));
    if (!path.has_value()) return "none";
    return path->type->resource() + " " + std::string(path->namespace_name) + " " + std::string(path->name) + " " +
           std::string(path->subresource);
  }

 private:
  net::RequestHead head_;
};

TEST_F(HeadTest, PathsNameResources) {
  const struct {
    std::string_view target, path;
  } cases[] = {
      {"/api/v1/namespaces", "namespaces   "},
      {"/api/v1/namespaces/default", "namespaces  default "},
      {"/api/v1/namespaces/default/status", "namespaces  default status"},
      {"/api/v1/namespaces/default/configmaps", "configmaps default  "},
      {"/api/v1/namespaces/default/configmaps/a?x=y", "configmaps default a "},
      {"/api/v1/namespaces/default/pods/a/log", "pods default a log"},
      {"/api/v1/configmaps", "configmaps   "},
      {"/apis/serving.kserve.io/v1beta1/inferenceservices", "inferenceservices.serving.kserve.io   "},
      {"/apis/serving.kserve.io/v1beta1/namespaces/n/inferenceservices/a/status",
       "inferenceservices.serving.kserve.io n a status"},
      {"/apis/serving.kserve.io/v1alpha1/clusterservingruntimes/a", "clusterservingruntimes.serving.kserve.io  a "},
      {"/apis/serving.kserve.io/v1beta1/inferenceservices/a", "none"},
      {"/apis/serving.kserve.io/v1beta1/namespaces/n/clusterservingruntimes", "none"},
      {"/apis/serving.kserve.io/v1alpha1/namespaces/n/inferenceservices", "none"},
      {"/apis/apps/v1/deployments", "none"},
      {"/api/v1/namespaces/n/configmaps/a/b/c", "none"},
      {"/api/v2/configmaps", "none"},
      {"/", "none"},
  };
  for (const auto& each : cases) EXPECT_EQ(Path(each.target), each.path) << each.target;
}

TEST_F(HeadTest, DocumentsSayWhatThereIs) {
  const auto text = [&](std::string_view target) {
    const auto document = FindDocument(Head(target));
    return document.has_value() ? document->text : "none";
  };
  EXPECT_THAT(text("/version"), HasSubstr("gitVersion"));
  EXPECT_THAT(text("/api"), HasSubstr(R"("versions":["v1"])"));
  EXPECT_THAT(text("/apis"), HasSubstr(R"("preferredVersion":{"groupVersion":"serving.kserve.io/v1beta1")"));
  EXPECT_THAT(text("/apis/serving.kserve.io"), HasSubstr("APIGroup"));
  EXPECT_THAT(text("/apis/serving.kserve.io/v1beta1"), HasSubstr("inferenceservices/status"));
  EXPECT_THAT(text("/api/v1"), HasSubstr("pods/log"));
  EXPECT_EQ(text("/readyz"), "ok");
  EXPECT_EQ(text("/apis/none"), "none");
  EXPECT_EQ(text("/apis/serving.kserve.io/v9"), "none");
  EXPECT_EQ(text("/other"), "none");
}

TEST(Query, IsDecoded) {
  const Query query("a=b%20c+d&watch=true&limit=5&n=-1&a=x&&empty");
  EXPECT_EQ(query.Get("a"), "b c d");
  EXPECT_TRUE(query.IsTrue("watch"));
  EXPECT_FALSE(query.IsTrue("empty"));
  EXPECT_EQ(query.GetNumber("limit"), 5);
  EXPECT_EQ(query.GetNumber("n"), std::nullopt);
  EXPECT_EQ(query.GetNumber("a"), std::nullopt);
}

}  // namespace
}  // namespace inferd::apiserver
