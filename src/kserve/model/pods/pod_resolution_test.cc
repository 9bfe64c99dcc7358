#include "kserve/model/pods/pod_resolution.h"

#include <gmock/gmock.h>

#include "data/manifest/print.h"
#include "kserve/model/objects_fixture.h"
#include "kserve/model/pods/model_config.h"
#include "kserve/model/resolve/defaulting.h"

namespace inferd::model {
namespace {

using testing::Contains;
using testing::Pair;

constexpr std::string_view kRuntime = R"(
apiVersion: serving.kserve.io/v1alpha1
kind: ClusterServingRuntime
metadata: {name: kserve-mlserver}
spec:
  labels: {from: runtime, team: nobody}
  annotations: {prometheus.kserve.io/port: "8080"}
  nodeSelector: {disk: ssd}
  supportedModelFormats: [{name: sklearn, version: "0", autoSelect: true}]
  containers:
  - name: kserve-container
    image: server:1
    args: ["--model_name={{.Name}}", --http_port=8080]
    env: [{name: CLASS, value: "{{.Labels.modelClass}}"}]
    resources: {limits: {cpu: "1", memory: 2Gi}}
)";

InferenceService Service(std::string_view spec) {
  std::string yaml = ServiceYaml(spec, "    note: x\n    autoscaling.knative.dev/min-scale: '3'\n");
  yaml.replace(yaml.find("  namespace:"), 0, "  labels: {team: vision}\n");
  return ApplyDefaults(ParseAs<InferenceService>(yaml), {});
}

TEST(PodResolutionTest, CustomTransformersAndExplainersAreToldOfThePredictor) {
  const std::string predictor = "  predictor:\n    model: {modelFormat: {name: sklearn}, storageUri: s3://m}\n";
  const std::string container =
      "    containerConcurrency: 2\n    containers:\n    - args: [--model_name=own]\n"
      "      env: [{name: STORAGE_URI, value: s3://code}]\n";
  const auto service = Service(predictor + "  transformer:\n" + container + "  explainer:\n" + container);
  const auto explainer = ResolveExplainer(service, *service.explainer, {});
  ASSERT_TRUE(explainer.has_value());
  for (const ResolvedPod& pod : {ResolveTransformer(service, *service.transformer), *explainer}) {
    const auto& first = pod.pod_spec.Find("containers")->items().front();
    EXPECT_EQ(manifest::ToJson(*first.Find("args")),
              R"(["--model_name=own","--predictor_host","digits-predictor-default.models","--http_port","8080",)"
              R"("--workers","2"])");
    EXPECT_THAT(pod.annotations,
                Contains(Pair("internal.serving.kserve.io/storage-initializer-sourceuri", "s3://code")));
  }
}

TEST(PodResolutionTest, AModelIsMergedIntoItsRuntime) {
  const auto runtime = ParseAs<ServingRuntime>(kRuntime);
  const auto service = Service(
      "  predictor:\n    nodeSelector: {zone: a}\n    logger: {mode: all, url: http://sink}\n"
      "    batcher: {maxBatchSize: 8}\n    model:\n      modelFormat: {name: sklearn}\n      storageUri: s3://m\n"
      "      runtimeVersion: '2'\n      args: [--verbose]\n      env: [{name: OWN, value: b}]\n"
      "      resources: {limits: {cpu: '2'}}\n");
  const auto pod = ResolvePredictor(service, &runtime);
  ASSERT_TRUE(pod.has_value()) << pod.error().event;
  EXPECT_EQ(manifest::ToJson(pod->pod_spec),
            R"({"nodeSelector":{"disk":"ssd","zone":"a"},"containers":[{"name":"kserve-container","image":"server:2",)"
            R"("args":["--model_name=digits","--http_port=8080","--verbose"],"env":[{"name":"OWN","value":"b"},)"
            R"({"name":"MLSERVER_MODEL_NAME","value":"digits"},{"name":"MLSERVER_MODEL_URI","value":"/mnt/models"},)"
            R"({"name":"CLASS","value":"mlserver_sklearn.SKLearnModel"}],)"
            R"("resources":{"limits":{"cpu":"2","memory":"2Gi"}}}]})");
  EXPECT_EQ(pod->runtime, "kserve-mlserver");
  EXPECT_EQ(pod->protocol_version, "v2");
  EXPECT_EQ(pod->labels, (StringMap{{"component", "predictor"},
                                    {"from", "runtime"},
                                    {"modelClass", "mlserver_sklearn.SKLearnModel"},
                                    {"serving.kserve.io/inferenceservice", "digits"},
                                    {"team", "vision"}}));
  EXPECT_EQ(pod->annotations, (StringMap{{"note", "x"},
                                         {"prometheus.kserve.io/port", "8080"},
                                         {"internal.serving.kserve.io/batcher", "true"},
                                         {"internal.serving.kserve.io/batcher-max-batchsize", "8"},
                                         {"internal.serving.kserve.io/logger", "true"},
                                         {"internal.serving.kserve.io/logger-mode", "all"},
                                         {"internal.serving.kserve.io/logger-sink-url", "http://sink"},
                                         {"internal.serving.kserve.io/storage-initializer-sourceuri", "s3://m"}}));
}

TEST(PodResolutionTest, FailuresAreKServes) {
  auto runtime = ParseAs<ServingRuntime>(RuntimeYaml("r", ""));
  const auto service = Service("  predictor: {model: {modelFormat: {name: onnx}, args: ['{{.Nope}}']}}\n");
  const auto failed = ResolvePredictor(service, &runtime);
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().reason, "InvalidPredictorSpec");
  EXPECT_EQ(failed.error().message, "Failed to replace placeholders in serving runtime Container");
  EXPECT_THAT(failed.error().event,
              testing::StartsWith("failed to replace placeholders in serving runtime Container: args[0]: '{{.Nope}}'"));
  const auto nameless = Service("  predictor: {model: {modelFormat: {name: onnx}, volumeMounts: []}}\n");
  runtime.containers.clear();
  EXPECT_EQ(ResolvePredictor(nameless, &runtime).error().event,
            "no container configuration found in selected serving runtime");
}

TEST(PodResolutionTest, StorageByKeyIsLeftToTheInitializer) {
  const auto runtime = ParseAs<ServingRuntime>(RuntimeYaml("r", ""));
  const auto pod = ResolvePredictor(
      Service(
          "  predictor: {model: {modelFormat: {name: onnx}, storage: {key: k, path: p, parameters: {type: s3}}}}\n"),
      &runtime);
  ASSERT_TRUE(pod.has_value());
  EXPECT_THAT(pod->annotations, Contains(Pair("internal.serving.kserve.io/storage-spec", "true")));
  EXPECT_THAT(pod->annotations, Contains(Pair("internal.serving.kserve.io/storage-spec-key", "k")));
  EXPECT_THAT(pod->annotations, Contains(Pair("internal.serving.kserve.io/storage-spec-param", R"({"type":"s3"})")));
  EXPECT_THAT(pod->annotations,
              Contains(Pair("internal.serving.kserve.io/storage-initializer-sourceuri", "<scheme-placeholder>://p")));
}

TEST(PodResolutionTest, WithoutAModelItsModelsComeAndGo) {
  const auto runtime = ParseAs<ServingRuntime>(RuntimeYaml("kserve-tritonserver", ""));
  const auto service = Service("  predictor: {model: {modelFormat: {name: triton}}}\n");
  const auto pod = ResolvePredictor(service, &runtime);
  ASSERT_TRUE(pod.has_value());
  EXPECT_EQ(manifest::ToJson(*pod->pod_spec.Find("containers")->items().at(0).Find("args")),
            R"(["--model-control-mode=explicit"])");
  EXPECT_THAT(pod->annotations, Contains(Pair("internal.serving.kserve.io/agent", "true")));
  EXPECT_THAT(pod->annotations, Contains(Pair("internal.serving.kserve.io/configVolumeName", "modelconfig-digits-0")));
  TrainedModel own;
  own.metadata.name = "m";
  own.metadata.namespace_name = "models";
  own.inference_service = "digits";
  own.storage_uri = "s3://m";
  own.framework = "sklearn";
  own.memory = "1Gi";
  TrainedModel elsewhere = own;
  elsewhere.metadata.namespace_name = "other";
  TrainedModel others = own;
  others.inference_service = "other";
  EXPECT_EQ(ModelsJson(service, std::vector<const TrainedModel*>{&others, &own, &elsewhere}),
            R"([{"modelName":"m","modelSpec":{"storageUri":"s3://m","framework":"sklearn","memory":"1Gi"}}])");
  EXPECT_FALSE(IsMultiModel(Service("  predictor: {model: {modelFormat: {name: onnx}, storageUri: 's3://m'}}\n")));
  EXPECT_TRUE(IsMultiModel(
      Service("  predictor: {containers: [{image: x, env: [{name: MULTI_MODEL_SERVER, value: 'true'}]}]}\n")));
}

TEST(PodResolutionTest, ACustomPredictorKeepsItsContainers) {
  const auto pod = ResolvePredictor(
      Service("  predictor: {containers: [{image: mine, env: [{name: STORAGE_URI, value: 's3://m'}]}], timeout: 3}\n"),
      nullptr);
  ASSERT_TRUE(pod.has_value());
  EXPECT_EQ(pod->extension.timeout_s, 3);
  const manifest::Value& container = pod->pod_spec.Find("containers")->items().at(0);
  EXPECT_EQ(container.Find("image")->text(), "mine");
  EXPECT_EQ(container.Find("name")->text(), "kserve-container");
  EXPECT_THAT(pod->annotations, Contains(Pair("internal.serving.kserve.io/storage-initializer-sourceuri", "s3://m")));
}

TEST(PodResolutionTest, ATransformerIsToldWhereItsPredictorIs) {
  const auto service = Service(
      "  predictor: {model: {modelFormat: {name: onnx}}}\n"
      "  transformer: {containerConcurrency: 4, containers: [{image: t, args: [--model_name=other, --x]}]}\n");
  const ResolvedPod pod = ResolveTransformer(service, *service.transformer);
  EXPECT_EQ(manifest::ToJson(*pod.pod_spec.Find("containers")->items().at(0).Find("args")),
            R"(["--model_name=other","--x","--predictor_host","digits-predictor-default.models","--http_port","8080",)"
            R"("--workers","4"])");
  EXPECT_EQ(ComponentObjectName(service, pod.kind), "digits-transformer-default");
}

TEST(PodResolutionTest, AnExplainerHasTheConfigurationsImage) {
  const auto service = Service(
      "  predictor: {model: {modelFormat: {name: onnx}}}\n"
      "  explainer: {alibi: {type: AnchorTabular, storageUri: 'gs://w', config: {b: '2', a: '1'}, args: [--own]}}\n");
  InferenceServiceConfig config;
  EXPECT_EQ(ResolveExplainer(service, *service.explainer, config).error().event,
            "the configuration has no image for the explainer alibi");
  config.explainers["alibi"] = {.image = "alibi", .default_version = "v1"};
  const auto pod = ResolveExplainer(service, *service.explainer, config);
  ASSERT_TRUE(pod.has_value());
  const manifest::Value& container = pod->pod_spec.Find("containers")->items().at(0);
  EXPECT_EQ(container.Find("image")->text(), "alibi:v1");
  EXPECT_EQ(pod->explainer, "alibi");
  EXPECT_EQ(manifest::ToJson(*container.Find("args")),
            R"(["--model_name","digits","--http_port","8080","--predictor_host","digits-predictor-default.models",)"
            R"("--storage_uri","/mnt/models","AnchorTabular","--a","1","--b","2","--own"])");
}

}  // namespace
}  // namespace inferd::model
