#include "kserve/clustergateway/cluster/service_table.h"

#include <gtest/gtest.h>

#include "data/manifest/read.h"

namespace inferd::clustergateway {
namespace {

manifest::Value Yaml(std::string_view text) {
  auto documents = manifest::ReadYaml(text, "test");
  return documents.has_value() && documents->size() == 1 ? documents->front() : manifest::Value();
}

const kubernetes::ObjectName kIris = {"m", "iris"};
const manifest::Value kGood =
    Yaml("{metadata: {name: inferenceservice-config}, data: {ingress: '{\"ingressDomain\": \"models.example\"}'}}");
const manifest::Value kBroken = Yaml("{metadata: {name: inferenceservice-config}, data: {ingress: '{no json'}}");
const manifest::Value kEmpty = Yaml("{metadata: {name: inferenceservice-config}, data: {}}");

class ServiceTableTest : public testing::Test {
 protected:
  ServiceTableTest() {
    const auto service = Yaml(
        "{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, metadata: {name: iris, namespace: m, uid: u1},"
        " spec: {predictor: {model: {modelFormat: {name: onnx}}}}, status: {url: 'http://iris-m.written.example', "
        "components: {predictor: {url: 'http://iris-predictor-default-m.written.example'}}}}");
    table_.SetService(kIris, &service);
    const auto revision = Yaml(
        "{metadata: {name: iris-predictor-default-00001, namespace: m, labels: {serving.knative.dev/configuration: "
        "iris-predictor-default, serving.knative.dev/configurationGeneration: '1'}, ownerReferences: [{apiVersion: "
        "serving.kserve.io/v1beta1, kind: InferenceService, name: iris, uid: u1, controller: true}]}}");
    table_.SetDeployment({"m", "iris-predictor-default-00001"}, &revision);
  }
  bool Routes(const std::string& host) {
    table_.UpdateRoutes();
    return table_.routes().HasOwnHost(host);
  }

  const std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  ServiceTable table_{[] {}, *logger_};
};

TEST_F(ServiceTableTest, AConfigurationThatCannotBeUsedLeavesTheHosts) {
  table_.SetConfig(&kGood);
  EXPECT_TRUE(Routes("iris-m.models.example"));
  for (const manifest::Value* config : {static_cast<const manifest::Value*>(nullptr), &kEmpty, &kBroken}) {
    table_.SetConfig(config);
    EXPECT_TRUE(Routes("iris-m.models.example"));
    EXPECT_FALSE(Routes("iris-m.example.com"));
  }
}

TEST_F(ServiceTableTest, WithoutOneTheHostsOfTheStatusCount) {
  for (const manifest::Value* config : {static_cast<const manifest::Value*>(nullptr), &kEmpty, &kBroken}) {
    table_.SetConfig(config);
    EXPECT_TRUE(Routes("iris-m.written.example"));
    EXPECT_TRUE(Routes("iris-predictor-default-m.written.example"));
    EXPECT_TRUE(Routes("iris-m.example.com"));
  }
  table_.SetConfig(&kGood);
  EXPECT_TRUE(Routes("iris-m.models.example"));
  EXPECT_FALSE(Routes("iris-m.written.example"));
}

}  // namespace
}  // namespace inferd::clustergateway
