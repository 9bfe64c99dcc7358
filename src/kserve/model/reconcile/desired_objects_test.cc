#include "kserve/model/reconcile/desired_objects.h"

#include <gmock/gmock.h>

#include "data/manifest/print.h"
#include "kserve/model/objects_fixture.h"
#include "kserve/model/resolve/hosts.h"

namespace inferd::model {
namespace {

using testing::ElementsAre;

constexpr const char* kRaw = "    serving.kserve.io/deploymentMode: RawDeployment\n";
constexpr const char* kModel = "    model: {modelFormat: {name: onnx}, storageUri: 's3://m'}\n";

class DesiredObjectsTest : public testing::Test {
 protected:
  DesiredObjectsTest() {
    config_.ingress.gateway = "knative-serving/knative-ingress-gateway";
    config_.ingress.service = "istio-ingressgateway.istio-system.svc.cluster.local";
    config_.ingress.local_gateway = "knative-serving/knative-local-gateway";
    config_.ingress.local_service = "knative-local-gateway.istio-system.svc.cluster.local";
    config_.ingress.domain = "models.example";
  }

  DesiredObjects Desired(std::string_view spec, std::string_view annotations = "") {
    const std::vector<const ServingRuntime*> runtimes = {&runtime_};
    auto desired =
        MakeDesiredObjects(ParseAs<InferenceService>(ServiceYaml(spec, annotations)), runtimes, {}, config_, rollouts_);
    EXPECT_TRUE(desired.has_value()) << desired.error().event;
    return desired.has_value() ? *std::move(desired) : DesiredObjects();
  }

  std::string Failure(std::string_view spec, std::string_view annotations = "") {
    const std::vector<const ServingRuntime*> runtimes = {&runtime_};
    const auto desired =
        MakeDesiredObjects(ParseAs<InferenceService>(ServiceYaml(spec, annotations)), runtimes, {}, config_, rollouts_);
    return desired.has_value() ? "" : desired.error().event;
  }

  InferenceServiceConfig config_;
  std::map<ComponentKind, Rollout> rollouts_;
  const ServingRuntime runtime_ =
      ParseAs<ServingRuntime>(RuntimeYaml("mine", "  supportedModelFormats: [{name: onnx, autoSelect: true}]\n"));
};

std::vector<std::string> Names(const DesiredObjects& desired) {
  std::vector<std::string> names;
  for (const manifest::Value& object : desired.objects) {
    names.push_back(object.Find("kind")->text() + " " + object.Find("metadata")->Find("name")->text());
  }
  return names;
}

std::string SpecOf(const DesiredObjects& desired, size_t index) {
  return manifest::ToYaml(*desired.objects.at(index).Find("spec"));
}

TEST_F(DesiredObjectsTest, RawModeHasADeployment) {
  const DesiredObjects desired = Desired("  predictor:\n" + std::string(kModel), kRaw);
  EXPECT_THAT(Names(desired),
              ElementsAre("Deployment digits-predictor-default", "Service digits-predictor-default",
                          "HorizontalPodAutoscaler digits-predictor-default", "Service digits", "Ingress digits"));
  EXPECT_EQ(manifest::ToYaml(desired.objects.at(0)), R"(apiVersion: apps/v1
kind: Deployment
metadata:
  name: digits-predictor-default
  namespace: models
  labels:
    app: isvc.digits-predictor-default
    component: predictor
    serving.kserve.io/inferenceservice: digits
  annotations:
    internal.serving.kserve.io/storage-initializer-sourceuri: s3://m
    serving.kserve.io/deploymentMode: RawDeployment
spec:
  selector:
    matchLabels:
      app: isvc.digits-predictor-default
  template:
    metadata:
      labels:
        app: isvc.digits-predictor-default
        component: predictor
        serving.kserve.io/inferenceservice: digits
      annotations:
        internal.serving.kserve.io/storage-initializer-sourceuri: s3://m
        serving.kserve.io/deploymentMode: RawDeployment
    spec:
      containers:
      - name: kserve-container
        image: server:1
        readinessProbe:
          tcpSocket:
            port: 8080
          timeoutSeconds: 1
          periodSeconds: 10
          successThreshold: 1
          failureThreshold: 3
        terminationMessagePath: /dev/termination-log
        terminationMessagePolicy: File
        imagePullPolicy: IfNotPresent
      dnsPolicy: ClusterFirst
      restartPolicy: Always
      terminationGracePeriodSeconds: 30
      securityContext: {}
      schedulerName: default-scheduler
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 25%
      maxSurge: 25%
  revisionHistoryLimit: 10
  progressDeadlineSeconds: 600
)");
  EXPECT_EQ(SpecOf(desired, 1), R"(selector:
  app: isvc.digits-predictor-default
ports:
- name: digits-predictor-default
  port: 80
  targetPort: 8080
  protocol: TCP
)");
  EXPECT_EQ(SpecOf(desired, 2), R"(scaleTargetRef:
  apiVersion: apps/v1
  kind: Deployment
  name: digits-predictor-default
minReplicas: 1
maxReplicas: 1
metrics:
- type: Resource
  resource:
    name: cpu
    target:
      type: Utilization
      averageUtilization: 80
behavior: {}
)");
}

TEST_F(DesiredObjectsTest, RawPortsAreTheContainers) {
  const DesiredObjects desired = Desired(
      "  predictor:\n    minReplicas: 2\n    maxReplicas: 5\n    logger: {mode: all}\n    containers:\n    - image: x\n"
      "      ports: [{name: h2c, containerPort: 9000}, {containerPort: 8080, protocol: UDP}]\n",
      kRaw);
  EXPECT_EQ(manifest::ToJson(*desired.objects.at(1).Find("spec")->Find("ports")),
            R"([{"name":"h2c","port":9000,"targetPort":9081,"protocol":"TCP","appProtocol":"kubernetes.io/h2c"},)"
            R"({"name":"port-8080","port":8080,"targetPort":8080,"protocol":"UDP"}])");
  const manifest::Value& probe = *desired.objects.at(0)
                                      .Find("spec")
                                      ->Find("template")
                                      ->Find("spec")
                                      ->Find("containers")
                                      ->items()
                                      .at(0)
                                      .Find("readinessProbe");
  EXPECT_EQ(probe.Find("tcpSocket")->Find("port")->text(), "9000");
  EXPECT_EQ(desired.objects.at(2).Find("spec")->Find("minReplicas")->text(), "2");
  EXPECT_EQ(desired.objects.at(2).Find("spec")->Find("maxReplicas")->text(), "5");
}

TEST_F(DesiredObjectsTest, AProbeWithTimingsOnlyAsksForAConnection) {
  for (const std::string probe : {"readinessProbe", "livenessProbe", "startupProbe"}) {
    const auto made = [&](const std::string& annotation) {
      const DesiredObjects desired = Desired("  predictor:\n    containers:\n    - {image: x, " + probe +
                                                 ": {initialDelaySeconds: 1, periodSeconds: 2}}\n",
                                             annotation);
      const manifest::Value* found = &desired.objects.at(0);
      for (const char* const key : {"spec", "template", "spec", "containers"}) found = found->Find(key);
      return manifest::ToJson(*found->items().front().Find(probe));
    };
    EXPECT_EQ(made(kRaw), R"({"initialDelaySeconds":1,"periodSeconds":2,"tcpSocket":{"port":8080}})");
    if (probe == "readinessProbe") continue;  // which Knative completes
    EXPECT_EQ(made(""), R"({"initialDelaySeconds":1,"periodSeconds":2,"tcpSocket":{"port":0}})");
  }
}

TEST_F(DesiredObjectsTest, WhatAServiceOfAClusterHasGoesWithIt) {
  const std::string yaml = ServiceYaml("  predictor:\n" + std::string(kModel), kRaw);
  InferenceService service = ParseAs<InferenceService>(yaml);
  service.document.MapAt("metadata").Set("uid", manifest::Value::String("u-1"));
  const std::vector<const ServingRuntime*> runtimes = {&runtime_};
  const auto desired = MakeDesiredObjects(service, runtimes, {}, config_, rollouts_);
  ASSERT_TRUE(desired.has_value());
  for (const manifest::Value& object : desired->objects) {
    EXPECT_EQ(manifest::ToJson(*object.Find("metadata")->Find("ownerReferences")),
              R"([{"apiVersion":"serving.kserve.io/v1beta1","kind":"InferenceService","name":"digits","uid":"u-1",)"
              R"("controller":true,"blockOwnerDeletion":true}])");
  }
}

TEST_F(DesiredObjectsTest, TheIngressLeadsToTheTransformer) {
  config_.ingress.class_name = "nginx";
  const DesiredObjects desired =
      Desired("  predictor:\n" + std::string(kModel) + "  transformer: {containers: [{image: t}]}\n", kRaw);
  EXPECT_EQ(SpecOf(desired, 7), R"(ingressClassName: nginx
rules:
- host: digits-models.models.example
  http:
    paths:
    - path: /
      pathType: Prefix
      backend:
        service:
          name: digits-transformer-default
          port:
            number: 80
- host: digits-transformer-default-models.models.example
  http:
    paths:
    - path: /
      pathType: Prefix
      backend:
        service:
          name: digits-transformer-default
          port:
            number: 80
- host: digits-predictor-default-models.models.example
  http:
    paths:
    - path: /
      pathType: Prefix
      backend:
        service:
          name: digits-predictor-default
          port:
            number: 80
)");
}

TEST_F(DesiredObjectsTest, ServerlessModeHasAKnativeService) {
  rollouts_[ComponentKind::kPredictor] = {.latest_ready = "r-2", .latest_rolled_out = "r-1", .previous_rolled_out = ""};
  const DesiredObjects desired = Desired(
      "  predictor:\n    minReplicas: 0\n    maxReplicas: 4\n    scaleTarget: 5\n    scaleMetric: rps\n"
      "    containerConcurrency: 3\n    timeout: 20\n    canaryTrafficPercent: 10\n" +
          std::string(kModel),
      "    serving.knative.dev/rollout-duration: 60s\n    serving.kserve.io/enable-tag-routing: 'true'\n");
  EXPECT_THAT(Names(desired),
              ElementsAre("Service digits-predictor-default", "VirtualService digits", "Service digits"));
  EXPECT_EQ(manifest::ToJson(*desired.objects.at(0).Find("metadata")->Find("annotations")),
            R"({"serving.knative.dev/rollout-duration":"60s"})");
  EXPECT_EQ(SpecOf(desired, 0), R"(template:
  metadata:
    labels:
      component: predictor
      serving.kserve.io/inferenceservice: digits
    annotations:
      autoscaling.knative.dev/class: kpa.autoscaling.knative.dev
      autoscaling.knative.dev/max-scale: "4"
      autoscaling.knative.dev/metric: rps
      autoscaling.knative.dev/min-scale: "0"
      autoscaling.knative.dev/target: "5"
      internal.serving.kserve.io/storage-initializer-sourceuri: s3://m
      serving.kserve.io/enable-tag-routing: "true"
  spec:
    containers:
    - name: kserve-container
      image: server:1
      readinessProbe:
        tcpSocket:
          port: 0
        successThreshold: 1
    containerConcurrency: 3
    timeoutSeconds: 20
    enableServiceLinks: false
traffic:
- latestRevision: true
  percent: 10
  tag: latest
- latestRevision: false
  revisionName: r-1
  percent: 90
  tag: prev
)");
}

TEST_F(DesiredObjectsTest, TheVirtualServiceLeadsToTheComponents) {
  config_.explainers["art"] = {.image = "art", .default_version = "1"};
  const DesiredObjects desired = Desired("  predictor:\n" + std::string(kModel) + "  explainer: {art: {type: X}}\n");
  EXPECT_EQ(SpecOf(desired, 2), R"(hosts:
- digits.models.svc.cluster.local
- digits-models.models.example
gateways:
- knative-serving/knative-local-gateway
- knative-serving/knative-ingress-gateway
http:
- match:
  - uri:
      regex: "^/v1/models/[\\w-]+:explain$"
    authority:
      regex: "^digits\\.models(?:\\.svc(?:\\.cluster\\.local)?)?(?::\\d{1,5})?$"
    gateways:
    - knative-serving/knative-local-gateway
  - uri:
      regex: "^/v1/models/[\\w-]+:explain$"
    authority:
      regex: "^digits-models\\.models\\.example(?::\\d{1,5})?$"
    gateways:
    - knative-serving/knative-ingress-gateway
  route:
  - destination:
      host: knative-local-gateway.istio-system.svc.cluster.local
      port:
        number: 80
    weight: 100
  headers:
    request:
      set:
        Host: digits-explainer-default.models.svc.cluster.local
- match:
  - authority:
      regex: "^digits\\.models(?:\\.svc(?:\\.cluster\\.local)?)?(?::\\d{1,5})?$"
    gateways:
    - knative-serving/knative-local-gateway
  - authority:
      regex: "^digits-models\\.models\\.example(?::\\d{1,5})?$"
    gateways:
    - knative-serving/knative-ingress-gateway
  route:
  - destination:
      host: knative-local-gateway.istio-system.svc.cluster.local
      port:
        number: 80
    weight: 100
  headers:
    request:
      set:
        Host: digits-predictor-default.models.svc.cluster.local
)");
  EXPECT_EQ(SpecOf(desired, 3), R"(type: ExternalName
externalName: knative-local-gateway.istio-system.svc.cluster.local
sessionAffinity: None
)");
}

TEST_F(DesiredObjectsTest, APathLeadsToTheServiceToo) {
  config_.ingress.path_template = "/serving/{{ .Namespace }}/{{ .Name }}";
  const DesiredObjects desired = Desired("  predictor:\n" + std::string(kModel));
  const auto& routes = desired.objects.at(1).Find("spec")->Find("http")->items();
  ASSERT_EQ(routes.size(), 3U);
  EXPECT_EQ(manifest::ToJson(*routes[1].Find("match")->items().at(0).Find("uri")),
            R"({"prefix":"/serving/models/digits/"})");
  EXPECT_EQ(manifest::ToJson(*routes[2].Find("match")->items().at(0).Find("uri")),
            R"({"exact":"/serving/models/digits"})");
  EXPECT_EQ(manifest::ToJson(*routes[2].Find("rewrite")), R"({"uri":"/"})");
}

TEST_F(DesiredObjectsTest, ModelsThatComeAndGoAreListed) {
  const DesiredObjects desired = Desired("  predictor: {model: {modelFormat: {name: onnx}}}\n", kRaw);
  EXPECT_EQ(Names(desired).at(0), "ConfigMap modelconfig-digits-0");
  EXPECT_EQ(manifest::ToJson(*desired.objects.at(0).Find("data")), R"({"models.json":"[]"})");
}

TEST_F(DesiredObjectsTest, AModelWithoutRoomOrWithAFaultIsNotListed) {
  const auto model = [](const std::string& name, const std::string& memory) {
    return ParseAs<TrainedModel>(
        "apiVersion: serving.kserve.io/v1alpha1\nkind: TrainedModel\nmetadata: {name: " + name +
        ", namespace: models}\nspec: {inferenceService: digits, model: {storageUri: 's3://m', framework: onnx, "
        "memory: " +
        memory + "}}\n");
  };
  std::vector<TrainedModel> models = {model("a", "600Mi"), model("b", "600Mi"), model("c", "400Mi"), model("d", "1Mi")};
  models[3].fault = "is wrong";
  const std::vector<const TrainedModel*> pointers = {&models[0], &models[1], &models[2], &models[3]};
  const std::vector<const ServingRuntime*> runtimes = {&runtime_};
  const auto service = ParseAs<InferenceService>(
      ServiceYaml("  predictor: {model: {modelFormat: {name: onnx}, resources: {limits: {memory: 1Gi}}}}\n", kRaw));
  const auto desired = MakeDesiredObjects(service, runtimes, pointers, config_, rollouts_);
  ASSERT_TRUE(desired.has_value());
  const std::string& json = desired->objects.at(0).Find("data")->Find("models.json")->text();
  EXPECT_THAT(json, testing::HasSubstr(R"("modelName":"a")"));
  EXPECT_THAT(json, testing::Not(testing::HasSubstr(R"("modelName":"b")"))) << "it is told so in its status";
  EXPECT_THAT(json, testing::HasSubstr(R"("modelName":"c")"));
  EXPECT_THAT(json, testing::Not(testing::HasSubstr(R"("modelName":"d")")));
}

TEST_F(DesiredObjectsTest, FailuresSayWhatIsWrong) {
  const std::string predictor = "  predictor:\n" + std::string(kModel);
  config_.ingress.domain_template = "{{ .Name }}_{{ .Nope }}";
  EXPECT_THAT(Failure(predictor), testing::StartsWith("domainTemplate: '{{ .Nope }}': no placeholder"));
  config_.ingress.domain_template = "{{ .Name }}_{{ .Namespace }}";
  EXPECT_THAT(Failure(predictor, kRaw),
              testing::StartsWith("invalid domain name \"digits_models\": a lowercase RFC 1123"));
  config_.ingress.gateway.clear();
  EXPECT_EQ(Failure(predictor), "invalid ingress config - ingressGateway and ingressService are required");
  config_.ingress.domain_template = "{{ .Name }}.{{ .IngressDomain }}";
  EXPECT_EQ(Failure(predictor, kRaw), "") << "raw mode needs no gateways";
  config_.ingress.disable_virtual_service = true;
  EXPECT_EQ(Failure(predictor), "");
  EXPECT_EQ(Failure("  predictor: {model: {modelFormat: {name: pmml}}}\n"),
            "no runtime found to support predictor with model type: {pmml <nil>}");
  EXPECT_EQ(Failure(predictor, "    serving.kserve.io/deploymentMode: ModelMesh\n"),
            "the deployment mode ModelMesh is not supported");
}

}  // namespace
}  // namespace inferd::model
