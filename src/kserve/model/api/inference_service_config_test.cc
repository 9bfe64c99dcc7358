#include "kserve/model/api/inference_service_config.h"

#include <gmock/gmock.h>

#include "kserve/model/objects_fixture.h"

namespace inferd::model {
namespace {

using manifest::Value;

Value ConfigMapOf(const std::string& key, Value value) {
  Value document = Value::Map({{"metadata", Value::Map({{"name", Value::String("inferenceservice-config")}})}});
  document.MapAt("data").Set(key, std::move(value));
  return document;
}

std::vector<std::string> ProblemsOf(const std::string& key, Value value) {
  manifest::Problems problems;
  ReadInferenceServiceConfig(ConfigMapOf(key, std::move(value)), problems);
  return TextsOf(problems);
}

class ConfigKeyTest : public testing::TestWithParam<const char*> {};

TEST_P(ConfigKeyTest, JunkIsNamedWithItsKey) {
  const std::string key = GetParam();
  const std::vector<Value> junk = {Value::String(""),
                                   Value::String("x"),
                                   Value::String("[]"),
                                   Value::String("7"),
                                   Value::String("null"),
                                   Value::String("{} {}"),
                                   Value::String("{\"a\": {\"b\": "),
                                   Value::String(std::string(100'000, '[')),
                                   Value::String(std::string("{\0}", 3)),
                                   Value::String("\xff\xfe"),
                                   Value::Int(7),
                                   Value::Map()};
  for (const Value& value : junk) {
    EXPECT_THAT(ProblemsOf(key, value), testing::Contains(testing::HasSubstr("data." + key + ": ")))
        << value.text().substr(0, 20);
  }
}

INSTANTIATE_TEST_SUITE_P(Keys, ConfigKeyTest,
                         testing::Values("ingress", "deploy", "explainers", "storageInitializer", "credentials",
                                         "logger", "batcher", "agent", "metricsAggregator", "router"));

// Newer versions of KServe have others.
TEST(InferenceServiceConfigTest, KeysThatNothingGoesByMayHoldAnything) {
  for (const char* key : {"_example", "localModel", "security", "opentelemetryCollector", "mine"}) {
    EXPECT_THAT(ProblemsOf(key, Value::String("{no json")), testing::IsEmpty()) << key;
  }
}

TEST(InferenceServiceConfigTest, AWrongTypeInAFieldIsNamed) {
  const struct {
    const char* key;
    const char* text;
    const char* path;
  } cases[] = {
      {"ingress", R"({"enableGatewayApi": "yes"})", "enableGatewayApi"},
      {"ingress", R"({"kserveIngressGateway": "x"})", "kserveIngressGateway"},
      {"deploy", R"({"defaultDeploymentMode": ["RawDeployment"]})", "defaultDeploymentMode"},
      {"explainers", R"({"alibi": "x"})", "alibi"},
      {"explainers", R"({"alibi": {"image": 1}})", "alibi.image"},
      {"storageInitializer", R"({"storageSpecSecretName": {}})", "storageSpecSecretName"},
      {"storageInitializer", R"({"memoryLimit": 1})", "memoryLimit"},
      {"credentials", R"({"s3": []})", "s3"},
      {"credentials", R"({"s3": {"s3UseHttps": true}})", "s3.s3UseHttps"},
      {"credentials", R"({"gcs": {"gcsCredentialFileName": 1}})", "gcs.gcsCredentialFileName"},
      {"logger", R"({"defaultUrl": false})", "defaultUrl"},
      {"batcher", R"({"image": 1})", "image"},
      {"agent", R"({"cpuLimit": []})", "cpuLimit"},
      {"metricsAggregator", R"({"enablePrometheusScraping": true})", "enablePrometheusScraping"},
      {"router", R"({"headers": {"propagate": "x"}})", "headers.propagate"},
      {"router", R"({"headers": {"propagate": [1]}})", "headers.propagate[0]"},
  };
  for (const auto& one : cases) {
    EXPECT_THAT(ProblemsOf(one.key, Value::String(one.text)),
                testing::Contains(testing::AllOf(testing::HasSubstr("data." + std::string(one.key) + ": "),
                                                 testing::HasSubstr(std::string(one.path) + ": "))))
        << one.text;
  }
}

}  // namespace
}  // namespace inferd::model
