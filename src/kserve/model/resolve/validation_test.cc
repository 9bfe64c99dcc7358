#include "kserve/model/resolve/validation.h"

#include <gmock/gmock.h>

#include "data/manifest/print.h"
#include "kserve/model/objects_fixture.h"
#include "kserve/model/resolve/defaulting.h"

namespace inferd::model {
namespace {

using testing::IsEmpty;

// Returns a predictor with a model. `beside` has further fields of the predictor.
std::string PredictorYaml(std::string_view beside) {
  return "  predictor:\n    model: {modelFormat: {name: onnx}, storageUri: s3://m}\n" + std::string(beside);
}

struct ServiceCase {
  std::string yaml;
  std::vector<std::string> problems;
};
class ServiceValidationTest : public testing::TestWithParam<ServiceCase> {};

TEST_P(ServiceValidationTest, SaysWhatKServeSays) {
  const auto service = ParseAs<InferenceService>(GetParam().yaml);
  EXPECT_EQ(TextsOf(Validate(ApplyDefaults(service, {}))), GetParam().problems);
}

constexpr std::string_view kExactlyOne =
    "f:8:5: spec.predictor: Exactly one of [SKLearn, XGBoost, Tensorflow, PyTorch, Triton, ONNX, PMML, LightGBM, "
    "Paddle, Model, PodSpec] must be specified in PredictorSpec";
constexpr std::string_view kPercentage = "The target utilization percentage should be a [1-100] integer.";

std::string RawService(std::string_view beside) {
  return ServiceYaml(PredictorYaml(beside), "    serving.kserve.io/deploymentMode: RawDeployment\n");
}

INSTANTIATE_TEST_SUITE_P(
    Valid, ServiceValidationTest,
    testing::Values(ServiceCase{ServiceYaml(PredictorYaml("")), {}},
                    ServiceCase{ServiceYaml("  predictor: {sklearn: {storageUri: gs://m}}\n"), {}},
                    ServiceCase{ServiceYaml("  predictor: {containers: [{image: x}]}\n"), {}},
                    ServiceCase{ServiceYaml(PredictorYaml("    minReplicas: 5\n")), {}},  // no maximum
                    ServiceCase{ServiceYaml(PredictorYaml("    scaleMetric: rps\n    scaleTarget: 1\n")), {}},
                    ServiceCase{RawService("    scaleMetric: cpu\n    scaleTarget: 100\n"), {}},
                    ServiceCase{ServiceYaml(PredictorYaml("    canaryTrafficPercent: 0\n")), {}}));

INSTANTIATE_TEST_SUITE_P(
    Implementations, ServiceValidationTest,
    testing::Values(
        ServiceCase{ServiceYaml("  predictor:\n    minReplicas: 1\n"), {std::string(kExactlyOne)}},
        ServiceCase{ServiceYaml("  predictor:\n    sklearn: {}\n    xgboost: {}\n"), {std::string(kExactlyOne)}},
        ServiceCase{ServiceYaml("  predictor:\n    sklearn: {}\n    model: {modelFormat: {name: x}}\n"),
                    {std::string(kExactlyOne)}},
        ServiceCase{ServiceYaml("  predictor:\n    sklearn: {}\n    containers: [{image: x}]\n"),
                    {std::string(kExactlyOne)}},
        ServiceCase{ServiceYaml(PredictorYaml("  transformer: {}\n")),
                    {"f:9:16: spec.transformer: Exactly one of [PodSpec] must be specified in TransformerSpec"}},
        ServiceCase{ServiceYaml(PredictorYaml("  explainer: {}\n")),
                    {"f:9:14: spec.explainer: Exactly one of [Alibi, AIX, ART, PodSpec] must be specified in "
                     "ExplainerSpec"}}));

INSTANTIATE_TEST_SUITE_P(
    Scaling, ServiceValidationTest,
    testing::Values(
        ServiceCase{ServiceYaml(PredictorYaml("    minReplicas: 3\n    maxReplicas: 2\n")),
                    {"f:9:18: spec.predictor.minReplicas: MinReplicas cannot be greater than MaxReplicas."}},
        ServiceCase{ServiceYaml(PredictorYaml("    minReplicas: -1\n")),
                    {"f:9:18: spec.predictor.minReplicas: MinReplicas cannot be less than 0."}},
        ServiceCase{ServiceYaml(PredictorYaml("    maxReplicas: -1\n")),
                    {"f:9:18: spec.predictor.maxReplicas: MaxReplicas cannot be less than 0."}},
        ServiceCase{ServiceYaml(PredictorYaml("    containerConcurrency: -1\n")),
                    {"f:9:27: spec.predictor.containerConcurrency: Parallelism cannot be less than 0."}},
        ServiceCase{ServiceYaml(PredictorYaml("    scaleMetric: cpu\n")),
                    {"f:9:18: spec.predictor.scaleMetric: [cpu] is not a supported metric.\n"}},
        ServiceCase{ServiceYaml(PredictorYaml("    scaleMetric: rps\n    scaleTarget: 0\n")),
                    {"f:10:18: spec.predictor.scaleTarget: The target for rps should be greater than 1"}},
        ServiceCase{RawService("    scaleMetric: rps\n"),
                    {"f:11:18: spec.predictor.scaleMetric: [rps] is not a supported metric.\n"}},
        ServiceCase{RawService("    scaleTarget: 101\n"),
                    {"f:11:18: spec.predictor.scaleTarget: " + std::string(kPercentage)}},
        ServiceCase{RawService("    scaleMetric: memory\n    scaleTarget: 200\n"),
                    {"f:12:18: spec.predictor.scaleTarget: " + std::string(kPercentage)}},
        ServiceCase{RawService("    scaleMetric: memory\n    scaleTarget: 0\n"),
                    {"f:12:18: spec.predictor.scaleTarget: The target memory should be greater than 1 MiB"}},
        ServiceCase{ServiceYaml(PredictorYaml(""), "    serving.kserve.io/autoscalerClass: none\n"), {}},
        ServiceCase{ServiceYaml(PredictorYaml(""), "    serving.kserve.io/autoscalerClass: external\n"), {}},
        ServiceCase{ServiceYaml(PredictorYaml(""), "    serving.kserve.io/autoscalerClass: keda\n"),
                    {"f:7:40: metadata.annotations[serving.kserve.io/autoscalerClass]: [keda] is not a supported "
                     "autoscaler class type.\n"}},
        ServiceCase{ServiceYaml(PredictorYaml(""),
                                "    serving.kserve.io/autoscalerClass: hpa\n"
                                "    serving.kserve.io/metrics: rps\n"),
                    {"f:8:32: metadata.annotations[serving.kserve.io/metrics]: [rps] is not a supported metric.\n"}},
        ServiceCase{ServiceYaml(PredictorYaml(""), "    serving.kserve.io/targetUtilizationPercentage: '0'\n"),
                    {"f:7:52: metadata.annotations[serving.kserve.io/targetUtilizationPercentage]: " +
                     std::string(kPercentage)}},
        ServiceCase{ServiceYaml(PredictorYaml(""), "    serving.kserve.io/targetUtilizationPercentage: half\n"),
                    {"f:7:52: metadata.annotations[serving.kserve.io/targetUtilizationPercentage]: " +
                     std::string(kPercentage)}}));

INSTANTIATE_TEST_SUITE_P(
    Others, ServiceValidationTest,
    testing::Values(
        ServiceCase{ServiceYaml(PredictorYaml("    logger: {url: http://sink}\n")),
                    {"f:9:13: spec.predictor.logger: Invalid logger type"}},
        ServiceCase{ServiceYaml(PredictorYaml("    canaryTrafficPercent: 101\n")),
                    {"f:9:27: spec.predictor.canaryTrafficPercent: must be between 0 and 100"}},
        ServiceCase{ServiceYaml(PredictorYaml("    batcher: {maxBatchSize: 0}\n")),
                    {"f:9:29: spec.predictor.batcher.maxBatchSize: must be at least 1"}},
        ServiceCase{
            ServiceYaml("  predictor:\n    containers: [{image: x, env: [{name: PROTOCOL, value: grpc-v2}]}]\n"),
            {"f:8:17: spec.predictor.containers: Invalid protocol grpc-v2. Must be one of [v1, v2]"}},
        ServiceCase{ServiceYaml("  predictor:\n    model: {modelFormat: {name: onnx}, storageUri: 'ftp://m'}\n"),
                    {"f:8:52: spec.predictor.model.storageUri: storageUri, must be one of: [gs://, s3://, pvc://, "
                     "file://, https://, http://, hdfs://, webhdfs://] or match "
                     "https://{}.blob.core.windows.net/{}/{} or be an absolute or relative local path. StorageUri "
                     "[ftp://m] is not supported."}},
        ServiceCase{ServiceYaml("  predictor:\n    model: {modelFormat: {name: onnx}, storageUri: s3://m, storage: "
                                "{path: p}}\n"),
                    {"f:8:69: spec.predictor.model.storage: must provide only one of storageUri and storage.path"}},
        ServiceCase{ServiceYaml("  predictor:\n    model: {modelFormat: {name: onnx}, storage: {parameters: {type: "
                                "gs}}}\n"),
                    {"f:8:49: spec.predictor.model.storage: storage.spec.type, must be one of: [s3://, hdfs://, "
                     "webhdfs://]. storage.spec.type [gs] is not supported."}},
        ServiceCase{ServiceYaml("  predictor:\n    model: {modelFormat: {name: onnx}, protocolVersion: v3}\n"),
                    {"f:8:57: spec.predictor.model.protocolVersion: Invalid protocol v3. Must be one of [v1, v2, "
                     "grpc-v1, grpc-v2]"}}));

TEST(ServiceValidationTest, NamesAreThoseOfServices) {
  const auto with_name = [](const std::string& name, std::string_view annotations = "") {
    std::string yaml = ServiceYaml(PredictorYaml(""), annotations);
    yaml.replace(yaml.find("digits"), 6, name);
    return TextsOf(Validate(ParseAs<InferenceService>(yaml)));
  };
  EXPECT_THAT(with_name("a1-b"), IsEmpty());
  EXPECT_THAT(with_name(std::string(45, 'a')), IsEmpty());
  EXPECT_EQ(
      with_name("1a"),
      std::vector<std::string>(
          {"f:4:9: metadata.name: The InferenceService \"1a\" is invalid: a InferenceService name must consist of "
           "lower case alphanumeric characters or '-', and must start with alphabetical character. (e.g. "
           "\"my-name\" or \"abc-123\", regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"}));
  EXPECT_EQ(with_name(std::string(46, 'a')),
            std::vector<std::string>({"f:4:9: metadata.name: the Service '" + std::string(46, 'a') +
                                      "-predictor-default' would have a name of 64 characters; Kubernetes takes 63"}));
  // In raw mode, the name is also the value of a label.
  constexpr std::string_view kRaw = "    serving.kserve.io/deploymentMode: Standard\n";
  EXPECT_THAT(with_name(std::string(40, 'a'), kRaw), IsEmpty());
  EXPECT_EQ(with_name(std::string(41, 'a'), kRaw),
            std::vector<std::string>({"f:4:9: metadata.name: the label app 'isvc." + std::string(41, 'a') +
                                      "-predictor-default' would have a value of 64 characters; Kubernetes takes 63"}));
}

// Returns the problems of a graph with that metadata. `more` has further fields of its spec.
std::vector<std::string> GraphProblems(const std::string& metadata, const std::string& more) {
  return TextsOf(Validate(ParseAs<InferenceGraph>(
      "apiVersion: serving.kserve.io/v1alpha1\nkind: InferenceGraph\nmetadata: {" + metadata +
      "}\nspec: {nodes: {root: {routerType: Sequence, steps: [{serviceName: a}]}}" + more + "}\n")));
}

TEST(GraphValidation, ItsNameIsThatOfAServiceToo) {
  EXPECT_THAT(GraphProblems("name: g-1", ""), testing::IsEmpty());
  EXPECT_THAT(GraphProblems("name: 1g", ""),
              testing::ElementsAre(testing::StartsWith(
                  "f:3:18: metadata.name: must be the name of a Service, too: a DNS-1035 label must consist of")));
  EXPECT_THAT(GraphProblems("name: " + std::string(253, 'a'), ""),
              testing::ElementsAre("f:3:18: metadata.name: must be the name of a Service, too: must be no more than 63 "
                                   "characters"));
}

TEST(GraphValidation, ReplicasAndMetricsOfItsRouter) {
  const std::string raw = "name: g, annotations: {serving.kserve.io/deploymentMode: RawDeployment}";
  EXPECT_THAT(GraphProblems(raw, ", minReplicas: 1, maxReplicas: 2, scaleMetric: cpu, scaleTarget: 50"),
              testing::IsEmpty());
  EXPECT_THAT(GraphProblems("name: g", ", scaleMetric: cpu"), testing::IsEmpty()) << "the mode is not known";
  EXPECT_THAT(
      GraphProblems(raw, ", minReplicas: 3, maxReplicas: 2"),
      testing::ElementsAre(testing::EndsWith("spec.minReplicas: MinReplicas cannot be greater than MaxReplicas.")));
  EXPECT_THAT(GraphProblems(raw, ", minReplicas: -1"),
              testing::ElementsAre(testing::EndsWith("spec.minReplicas: MinReplicas cannot be less than 0.")));
  EXPECT_THAT(GraphProblems(raw, ", scaleMetric: rps"),
              testing::ElementsAre(testing::HasSubstr("spec.scaleMetric: [rps] is not a supported metric.")));
  EXPECT_THAT(GraphProblems("name: g, annotations: {serving.kserve.io/autoscalerClass: some}", ""),
              testing::ElementsAre(testing::HasSubstr("[some] is not a supported autoscaler class type.")));
}

TEST(GraphValidation, TimeoutsAreSecondsOfADay) {
  EXPECT_THAT(GraphProblems("name: g",
                            ", timeout: 86400, routerTimeouts: {serverRead: 1, serverWrite: 2, serverIdle: 3, "
                            "serviceClient: 86400}"),
              testing::IsEmpty());
  for (const std::string field : {"serverRead", "serverWrite", "serverIdle", "serviceClient"}) {
    for (const std::string value : {"0", "-1", "86401"}) {
      EXPECT_THAT(
          GraphProblems("name: g", ", routerTimeouts: {" + field + ": " + value + "}"),
          testing::ElementsAre(testing::EndsWith("spec.routerTimeouts." + field + ": must be between 1 and 86400")));
    }
  }
}

struct GraphCase {
  const char* nodes;
  std::vector<std::string> problems;
};
class GraphValidationTest : public testing::TestWithParam<GraphCase> {};

TEST_P(GraphValidationTest, SaysWhatIsWrong) {
  const auto graph = ParseAs<InferenceGraph>(
      "apiVersion: serving.kserve.io/v1alpha1\nkind: InferenceGraph\nmetadata: {name: g}\nspec:\n  nodes:\n" +
      std::string(GetParam().nodes));
  EXPECT_EQ(TextsOf(Validate(graph)), GetParam().problems);
}

INSTANTIATE_TEST_SUITE_P(
    Graphs, GraphValidationTest,
    testing::Values(
        GraphCase{"    root: {routerType: Sequence, steps: [{serviceName: a}, {nodeName: b}]}\n"
                  "    b: {routerType: Splitter, steps: [{serviceName: a, weight: 1}, {serviceName: c, weight: 99}]}\n",
                  {}},
        GraphCase{
            "    start: {routerType: Sequence, steps: [{serviceName: a}]}\n",
            {"f:6:5: spec.nodes: root node not found, InferenceGraph needs a node with name 'root' as the root node "
             "of the graph"}},
        GraphCase{"    root: {routerType: Switch, steps: [{serviceName: a, condition: \"@reverse\"}]}\n",
                  {"f:6:40: spec.nodes.root.steps[0]: condition '@reverse': modifiers other than @this are not known "
                   "here at character 1"}},
        GraphCase{"    root: {routerType: Sequence, steps: [{serviceName: a, data: x, dependency: Never}]}\n",
                  {"f:6:42: spec.nodes.root.steps[0]: data must be $request or $response, not 'x'",
                   "f:6:42: spec.nodes.root.steps[0]: dependency must be Soft or Hard, not 'Never'"}},
        GraphCase{"    root: {routerType: Splitter, steps: [{serviceName: a}, {serviceName: b, weight: 1}]}\n",
                  {"f:6:42: spec.nodes.root.steps[0]: InferenceGraph[g] Node[root] Route[a] missing the 'Weight'"}},
        GraphCase{
            "    root: {routerType: Splitter, steps: [{serviceName: a, weight: 1}]}\n",
            {"f:6:11: spec.nodes.root: InferenceGraph[g] Node[root] splitter node: the sum of traffic weights for "
             "all routing targets should be 100"}},
        GraphCase{
            "    root: {routerType: Sequence, steps: [{serviceName: a, name: x}, {serviceName: b, name: x}]}\n",
            {"f:6:69: spec.nodes.root.steps[1]: Node \"root\" of InferenceGraph \"g\" contains more than one step "
             "with name \"x\""}},
        GraphCase{"    root: {routerType: Sequence, steps: [{name: x}]}\n",
                  {"f:6:42: spec.nodes.root.steps[0]: Step 0 (\"x\") in node \"root\" of InferenceGraph \"g\" does not "
                   "specify an inference target"}},
        GraphCase{"    root: {routerType: Sequence, steps: [{serviceName: a, serviceUrl: 'http://b'}]}\n",
                  {"f:6:42: spec.nodes.root.steps[0]: Step 0 (\"\") in node \"root\" of InferenceGraph \"g\" specifies "
                   "more than one of nodeName, serviceName, serviceUrl"}},
        GraphCase{"    root: {routerType: Random, steps: []}\n",
                  {"f:6:11: spec.nodes.root: routerType must be Sequence, Splitter, Ensemble or Switch, not 'Random'",
                   "f:6:11: spec.nodes.root: has no steps"}},
        GraphCase{"    root: {routerType: Sequence, steps: [{nodeName: gone}]}\n",
                  {"f:6:42: spec.nodes.root.steps[0]: nodeName: there is no node 'gone'"}},
        GraphCase{"    root: {routerType: Sequence, steps: [{nodeName: b}, {nodeName: c}]}\n"
                  "    b: {routerType: Sequence, steps: [{nodeName: c}]}\n"
                  "    c: {routerType: Sequence, steps: [{nodeName: b}]}\n",
                  {"f:8:39: spec.nodes.c.steps[0]: nodeName: the graph has a loop: 'b' leads back to itself"}}));

TEST(RuntimeValidationTest, PrioritiesAreClear) {
  const auto runtime = [](const char* name, int first, int second) {
    return ParseAs<ServingRuntime>(RuntimeYaml(
        name, "  supportedModelFormats: [{name: a, version: '1', autoSelect: true, priority: " + std::to_string(first) +
                  "}, {name: a, version: '2', autoSelect: true, priority: " + std::to_string(second) + "}]\n"));
  };
  const ServingRuntime a = runtime("a", 1, 1);
  const ServingRuntime b = runtime("b", 2, 2);
  const ServingRuntime c = runtime("c", 1, 1);
  const std::vector<const ServingRuntime*> all = {&a, &b, &c};
  EXPECT_THAT(Validate(b, all), IsEmpty());
  EXPECT_EQ(
      TextsOf(Validate(c, all)),
      std::vector<std::string>({"f:6:26: spec.supportedModelFormats: same priority assigned for the model format a "
                                "in the servingruntimes a and c"}));
  EXPECT_EQ(TextsOf(Validate(runtime("d", 3, 4), {})),
            std::vector<std::string>({"f:6:26: spec.supportedModelFormats: different priorities assigned for the model "
                                      "format a under the servingruntime d"}));
}

TEST(TrainedModelValidationTest, TheStorageIsRemote) {
  const auto model = ParseAs<TrainedModel>(
      "apiVersion: serving.kserve.io/v1alpha1\nkind: TrainedModel\nmetadata: {name: m}\nspec:\n"
      "  inferenceService: digits\n  model: {storageUri: 'file:///m', framework: sklearn, memory: 1Gi}\n");
  EXPECT_EQ(
      TextsOf(Validate(model)),
      std::vector<std::string>({"f:6:23: spec.model.storageUri: the Trained Model \"m\" storageUri field is invalid. "
                                "The storage uri must start with one of the prefixes: s3://, gs://, https://, "
                                "http://. (the storage uri given is \"file:///m\")"}));
  EXPECT_THAT(Validate(model, TrainedModelPlaces::kAnywhere), IsEmpty());
}

TEST(DefaultingTest, ALegacyFrameworkBecomesAModel) {
  const auto service = ParseAs<InferenceService>(
      ServiceYaml("  predictor:\n    minReplicas: 1\n    onnx: {storageUri: s3://m, env: [{name: A}]}\n"));
  const InferenceService defaulted = ApplyDefaults(service, {});
  EXPECT_EQ(manifest::ToJson(*defaulted.document.Find("spec")),
            R"({"predictor":{"minReplicas":1,"model":{"modelFormat":{"name":"onnx"},"protocolVersion":"v2",)"
            R"("storageUri":"s3://m","env":[{"name":"A"}]}}})");
  ASSERT_TRUE(defaulted.predictor.model.has_value());
  EXPECT_EQ(defaulted.predictor.model->protocol_version, "v2");
  EXPECT_THAT(defaulted.predictor.legacy, IsEmpty());
}

TEST(DefaultingTest, CustomContainersHaveANameAndResources) {
  const auto service = ParseAs<InferenceService>(ServiceYaml(
      "  predictor: {containers: [{name: mine, image: x, resources: {limits: {cpu: 2}}}, {name: other, image: z}]}\n"));
  EXPECT_EQ(manifest::ToJson(*ApplyDefaults(service, {}).document.Find("spec")),
            R"({"predictor":{"containers":[{"name":"kserve-container","image":"x","resources":{"limits":{"cpu":2,)"
            R"("memory":"2Gi"},"requests":{"cpu":"1","memory":"2Gi"}}},{"name":"other","image":"z"}]}})");
}

TEST(DefaultingTest, TheModeIsTheConfigurationsUnlessTheServiceSaysIt) {
  InferenceServiceConfig config;
  config.default_mode = DeploymentMode::kRawDeployment;
  const auto open = ApplyDefaults(ParseAs<InferenceService>(ServiceYaml(PredictorYaml(""))), config);
  EXPECT_EQ(open.metadata.annotation("serving.kserve.io/deploymentMode"), "RawDeployment");
  const auto own = ApplyDefaults(
      ParseAs<InferenceService>(ServiceYaml(PredictorYaml(""), "    serving.kserve.io/deploymentMode: Serverless\n")),
      config);
  EXPECT_EQ(DeploymentModeOf(own, config), DeploymentMode::kServerless);
  const auto unknown =
      ParseAs<InferenceService>(ServiceYaml(PredictorYaml(""), "    serving.kserve.io/deploymentMode: Other\n"));
  EXPECT_EQ(DeploymentModeOf(unknown, config), DeploymentMode::kRawDeployment);
}

}  // namespace
}  // namespace inferd::model
