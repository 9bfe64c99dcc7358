#include "kserve/model/api/object.h"

#include <gmock/gmock.h>

#include "data/manifest/print.h"
#include "kserve/model/objects_fixture.h"

namespace inferd::model {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(ObjectTest, AnInferenceServiceIsReadWithAllItsFields) {
  const auto service = ParseAs<InferenceService>(R"(
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: digits, labels: {team: vision}, annotations: {serving.kserve.io/deploymentMode: RawDeployment}}
spec:
  predictor:
    minReplicas: 0
    maxReplicas: 3
    scaleTarget: 5
    scaleMetric: rps
    containerConcurrency: 10
    timeout: 60
    canaryTrafficPercent: 20
    logger: {url: "http://sink", mode: all}
    batcher: {maxBatchSize: 32, maxLatency: 500, timeout: 60}
    serviceAccountName: reader
    nodeSelector: {disk: ssd}
    model:
      modelFormat: {name: sklearn, version: "1"}
      runtime: mine
      storageUri: s3://bucket/model
      storage: {key: k, path: p, schemaPath: s, parameters: {type: s3}}
      runtimeVersion: v2
      protocolVersion: v2
      args: [--nthread=2]
      env: [{name: A, value: b}]
      resources: {limits: {cpu: 2, memory: 4Gi}}
  transformer:
    containers: [{image: transform:1}]
  explainer:
    alibi: {type: AnchorTabular, storageUri: gs://bucket/why, config: {threshold: "0.95"}}
)");
  const Predictor& predictor = service.predictor;
  EXPECT_EQ(service.metadata.name, "digits");
  EXPECT_EQ(service.metadata.namespace_name, "default");
  EXPECT_EQ(service.metadata.labels.at("team"), "vision");
  EXPECT_EQ(predictor.extension.min_replicas, 0);
  EXPECT_EQ(predictor.extension.max_replicas, 3);
  EXPECT_EQ(predictor.extension.scale_target, 5);
  EXPECT_EQ(predictor.extension.scale_metric, "rps");
  EXPECT_EQ(predictor.extension.container_concurrency, 10);
  EXPECT_EQ(predictor.extension.timeout_s, 60);
  EXPECT_EQ(predictor.extension.canary_traffic_percent, 20);
  EXPECT_EQ(predictor.extension.logger->mode, "all");
  EXPECT_EQ(predictor.extension.batcher->max_latency_ms, 500);
  EXPECT_EQ(manifest::ToJson(predictor.pod_spec), R"({"serviceAccountName":"reader","nodeSelector":{"disk":"ssd"}})");
  ASSERT_TRUE(predictor.model.has_value());
  EXPECT_EQ(predictor.model->format.ToString(), "sklearn:1");
  EXPECT_EQ(predictor.model->runtime, "mine");
  EXPECT_EQ(predictor.model->storage_uri, "s3://bucket/model");
  EXPECT_EQ(predictor.model->storage->storage_key, "k");
  EXPECT_EQ(predictor.model->storage->parameters.at("type"), "s3");
  EXPECT_EQ(
      manifest::ToJson(predictor.model->container),
      R"({"args":["--nthread=2"],"env":[{"name":"A","value":"b"}],"resources":{"limits":{"cpu":2,"memory":"4Gi"}}})");
  EXPECT_THAT(service.transformer->containers(), SizeIs(1));
  EXPECT_EQ(service.explainer->implementations.at(0).config.at("threshold"), "0.95");
}

TEST(ObjectTest, WhatIsNotKnownIsKept) {
  const std::string yaml =
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata:\n  name: a\n  finalizers:\n  - x\n"
      "spec:\n  new: {}\n  predictor:\n    newer: 1.50\n    model:\n      modelFormat:\n        name: onnx\n"
      "        flavour: x\nstatus:\n  url: http://a\n";
  const std::vector<Object> objects = ParseObjects(yaml);
  ASSERT_THAT(objects, SizeIs(1));
  EXPECT_EQ(manifest::ToYaml(objects[0].document()), yaml);
}

TEST(ObjectTest, LegacyFrameworksAreRead) {
  const auto service = ParseAs<InferenceService>(ServiceYaml(
      "  predictor:\n    xgboost: {storageUri: gs://x, runtimeVersion: '1'}\n    tensorflow: {storageUri: gs://y}\n"));
  ASSERT_THAT(service.predictor.legacy, SizeIs(2));
  EXPECT_EQ(service.predictor.legacy[0].framework, "tensorflow");
  EXPECT_EQ(service.predictor.legacy[1].framework, "xgboost");
  EXPECT_EQ(service.predictor.legacy[1].runtime_version, "1");
}

TEST(ObjectTest, RuntimesGraphsAndTrainedModelsAreRead) {
  const auto runtime = ParseAs<ServingRuntime>(
      RuntimeYaml("r",
                  "  supportedModelFormats: [{name: sklearn, version: '1', autoSelect: true, priority: 2}]\n"
                  "  protocolVersions: [v2, grpc-v2]\n  disabled: true\n  volumes: [{name: v, emptyDir: {}}]\n"));
  EXPECT_TRUE(runtime.cluster_wide);
  EXPECT_TRUE(runtime.disabled);
  EXPECT_EQ(runtime.formats.at(0).priority, 2);
  EXPECT_THAT(runtime.protocol_versions, ElementsAre("v2", "grpc-v2"));
  EXPECT_EQ(manifest::ToJson(runtime.pod_spec), R"({"volumes":[{"name":"v","emptyDir":{}}]})");

  const auto graph = ParseAs<InferenceGraph>(
      "apiVersion: serving.kserve.io/v1alpha1\nkind: InferenceGraph\nmetadata: {name: g}\nspec:\n  nodes:\n    root:\n"
      "      routerType: Splitter\n      steps: [{serviceName: a, weight: 20}, {nodeName: b, weight: 80, name: s}]\n"
      "    b: {routerType: Switch, steps: [{serviceUrl: 'http://c', condition: 'x', data: $response}]}\n");
  ASSERT_THAT(graph.nodes, SizeIs(2));
  EXPECT_EQ(graph.FindNode("root")->steps.at(1).weight, 80);
  EXPECT_EQ(graph.FindNode("b")->steps.at(0).condition, "x");

  const auto model = ParseAs<TrainedModel>(
      "apiVersion: serving.kserve.io/v1alpha1\nkind: TrainedModel\nmetadata: {name: m}\nspec:\n"
      "  inferenceService: digits\n  model: {storageUri: s3://m, framework: sklearn, memory: 1Gi}\n");
  EXPECT_EQ(model.inference_service, "digits");
  EXPECT_EQ(model.memory, "1Gi");
}

TEST(ObjectTest, TheConfigurationIsJsonInAMap) {
  const auto config = ParseAs<InferenceServiceConfig>(R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: inferenceservice-config, namespace: kserve}
data:
  _example: "not JSON"
  deploy: '{"defaultDeploymentMode": "RawDeployment"}'
  ingress: |
    {"ingressGateway": "g", "ingressService": "s", "ingressDomain": "models.example", "urlScheme": "https"}
  explainers: '{"alibi": {"image": "alibi", "defaultImageVersion": "1"}}'
  storageInitializer: '{"image": "init:1", "memoryLimit": "1Gi", "storageSpecSecretName": "mine"}'
  credentials: '{"gcs": {"gcsCredentialFileName": "g"}, "s3": {"s3SecretAccessKeyName": "k", "s3Endpoint": "minio"}}'
  router: '{"headers": {"propagate": ["X-Id"]}}'
)");
  EXPECT_EQ(config.default_mode, DeploymentMode::kRawDeployment);
  EXPECT_EQ(config.ingress.gateway, "g");
  EXPECT_EQ(config.ingress.domain, "models.example");
  EXPECT_EQ(config.ingress.domain_template, "{{ .Name }}-{{ .Namespace }}.{{ .IngressDomain }}");
  EXPECT_EQ(config.explainers.at("alibi").default_version, "1");
  EXPECT_EQ(config.storage_initializer.memory_limit, "1Gi");
  EXPECT_EQ(config.credentials.storage_secret, "mine");
  EXPECT_EQ(config.credentials.gcs_file_name, "g");
  EXPECT_EQ(config.credentials.s3.access_key_id_name, "awsAccessKeyID");
  EXPECT_EQ(config.credentials.s3.secret_access_key_name, "k");
  EXPECT_EQ(config.credentials.s3.endpoint, "minio");
  EXPECT_THAT(config.propagated_headers, ElementsAre("X-Id"));
}

TEST(ObjectTest, AListStandsForItsItems) {
  const auto objects = ParseObjects(
      "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: a}}\n"
      "- {apiVersion: v1, kind: Secret, metadata: {name: b}}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: "
      "c}\n");
  std::vector<std::string> names;
  for (const Object& object : objects) names.push_back(object.metadata().name);
  EXPECT_THAT(names, ElementsAre("a", "b", "c"));
}

struct ProblemCase {
  std::string yaml;
  std::vector<std::string> problems;
};
class ObjectProblemTest : public testing::TestWithParam<ProblemCase> {};

TEST_P(ObjectProblemTest, NamesTheField) {
  const auto objects = ParseObjects(GetParam().yaml);
  ASSERT_THAT(objects, SizeIs(1));
  EXPECT_EQ(TextsOf(objects[0].problems), GetParam().problems);
}

INSTANTIATE_TEST_SUITE_P(
    Problems, ObjectProblemTest,
    testing::Values(
        ProblemCase{"[1]\n", {"f:1:1: must be a map, not a list"}},
        ProblemCase{"kind: Secret\nmetadata: {name: a}\n", {"f:1:1: apiVersion: is required"}},
        ProblemCase{"apiVersion: v1\nkind: Secret\n", {"f:1:1: metadata: is required"}},
        ProblemCase{"apiVersion: v1\nkind: Secret\nmetadata: {}\n", {"f:3:11: metadata.name: is required"}},
        ProblemCase{"apiVersion: serving.kserve.io/v1\nkind: InferenceService\nmetadata: {name: a}\n",
                    {"f:1:13: apiVersion: must be serving.kserve.io/v1beta1 for kind InferenceService"}},
        ProblemCase{"apiVersion: serving.kserve.io/v1beta1\nkind: InferenceServices\nmetadata: {name: a}\n",
                    {"f:2:7: kind: no kind InferenceServices in serving.kserve.io/v1beta1; there are InferenceService, "
                     "ServingRuntime, ClusterServingRuntime, InferenceGraph, TrainedModel"}},
        ProblemCase{ServiceYaml("  predictor: []\n"), {"f:7:14: spec.predictor: must be a map, not a list"}},
        ProblemCase{ServiceYaml("  transformer: {}\n"), {"f:7:3: spec.predictor: is required"}},
        ProblemCase{ServiceYaml("  predictor:\n    minReplicas: two\n"),
                    {"f:8:18: spec.predictor.minReplicas: must be an integer, not a string"}},
        ProblemCase{ServiceYaml("  predictor:\n    model:\n      storageUri: 1\n"),
                    {"f:9:19: spec.predictor.model.storageUri: must be a string, not a number",
                     "f:9:7: spec.predictor.model.modelFormat: is required"}},
        ProblemCase{ServiceYaml("  predictor:\n    model:\n      modelFormat: {version: 1}\n"),
                    {"f:9:30: spec.predictor.model.modelFormat.version: must be a string, not a number",
                     "f:9:20: spec.predictor.model.modelFormat.name: is required"}},
        ProblemCase{ServiceYaml("  predictor:\n    containers:\n    - image: x\n      env: [{name: A, value: yes}]\n"
                                "      ports: [{containerPort: 70000}]\n      resources: {limits: {cpu: lots}}\n"),
                    {"f:10:30: spec.predictor.containers[0].env[0].value: must be a string, not a boolean",
                     "f:11:31: spec.predictor.containers[0].ports[0].containerPort: must be between 1 and 65535",
                     "f:12:33: spec.predictor.containers[0].resources.limits.cpu: quantities must match the regular "
                     "expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"}},
        ProblemCase{RuntimeYaml("r", "  supportedModelFormats: [{version: '1', autoSelect: maybe}]\n"),
                    {"f:6:54: spec.supportedModelFormats[0].autoSelect: must be true or false, not a string",
                     "f:6:27: spec.supportedModelFormats[0].name: is required"}},
        ProblemCase{"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: inferenceservice-config}\ndata:\n"
                    "  ingress: '{\"ingressDomain\": 1}'\n  deploy: '{}'\n  agent: 'x'\n  logger: 1\n",
                    {"f:5:12: data.ingress: 1:19: ingressDomain: must be a string, not a number",
                     "f:6:11: data.deploy: 1:1: Invalid deploy config, defaultDeploymentMode is required.",
                     "f:7:10: data.agent: unable to parse agent config json: 1:1: expected a value, got 'x'",
                     "f:8:11: data.logger: must be a string, not a number"}}));

}  // namespace
}  // namespace inferd::model
