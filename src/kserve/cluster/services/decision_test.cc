#include "kserve/cluster/services/decision.h"

#include <gmock/gmock.h>

#include "data/manifest/value_path.h"
#include "kserve/cluster/object_fixture.h"
#include "kserve/cluster/services/gateway_decision.h"
#include "kserve/model/objects_fixture.h"

namespace inferd::cluster {
namespace {

using manifest::TextAt;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kRaw = "    serving.kserve.io/deploymentMode: RawDeployment\n";
constexpr const char* kModel = "  predictor: {model: {modelFormat: {name: onnx}, storageUri: 's3://m'}}\n";

class DecisionTest : public testing::Test {
 protected:
  Decision Make(std::string_view spec, std::string_view annotations = kRaw) {
    const std::vector<const model::ServingRuntime*> runtimes = {&runtime_};
    manifest::Value document = Yaml(model::ServiceYaml(spec, annotations));
    document.MapAt("metadata").Set("uid", manifest::Value::String("u1"));
    return Decide(document, {.configuration = configuration_,
                             .runtimes = runtimes,
                             .models = {},
                             .has_knative = knative_,
                             .has_istio = istio_,
                             .injection = {.find = {}, .revisions = init_containers_},
                             .gateway_host = gateway_,
                             .deployments = deployments_,
                             .served = served_});
  }
  static std::vector<std::string> Kinds(const Decision& decision) {
    std::vector<std::string> kinds;
    for (const auto& object : decision.desired.objects) kinds.push_back(TextAt(object, {"kind"}));
    return kinds;
  }

  Configuration configuration_;
  bool knative_ = false;
  bool istio_ = false;
  bool init_containers_ = true;
  std::string gateway_;
  std::vector<const manifest::Value*> deployments_;
  ServedWay served_;
  const model::ServingRuntime runtime_ = model::ParseAs<model::ServingRuntime>(
      model::RuntimeYaml("mine", "  supportedModelFormats: [{name: onnx, autoSelect: true}]\n"));
};

TEST_F(DecisionTest, AServiceIsDefaultedAndItsObjectsMade) {
  const Decision decision = Make("  predictor: {onnx: {storageUri: 's3://m'}}\n");
  EXPECT_FALSE(decision.failure.has_value());
  EXPECT_TRUE(decision.service.predictor.model.has_value());
  EXPECT_THAT(Kinds(decision), testing::Contains("Deployment"));
}

// A webhook would refuse the second one. Without webhooks, one of the two runtimes is still chosen.
TEST_F(DecisionTest, APriorityThatTwoRuntimesHaveDoesNothing) {
  const std::string formats = "  supportedModelFormats: [{name: onnx, autoSelect: true, priority: PRIORITY}]\n";
  const auto with = [&](const char* name, const char* priority) {
    std::string text = formats;
    text.replace(text.find("PRIORITY"), 8, priority);
    return model::ParseAs<model::ServingRuntime>(model::RuntimeYaml(name, text));
  };
  const auto one = with("one", "2");
  const auto same = with("same", "2");
  const auto other = with("other", "1");
  manifest::Value document = Yaml(model::ServiceYaml(kModel, kRaw));
  const auto unheeded = [&](std::vector<const model::ServingRuntime*> runtimes) {
    return Decide(document, {.configuration = configuration_, .runtimes = runtimes, .models = {}}).unheeded;
  };
  EXPECT_THAT(unheeded({&one, &other}), IsEmpty());
  EXPECT_THAT(unheeded({&one, &same, &other}),
              testing::ElementsAre(testing::StartsWith(
                  "ClusterServingRuntime one: spec.supportedModelFormats: same priority assigned for the "
                  "model format onnx in the servingruntimes same and one")));
}

TEST_F(DecisionTest, WhatIsWrongIsSaidAndMakesNothing) {
  const struct {
    const char* spec;
    const char* reason;
    const char* event;
  } cases[] = {
      {"  predictor: {minReplicas: 3, maxReplicas: 1, model: {modelFormat: {name: onnx}, storageUri: 's3://m'}}\n",
       "InvalidPredictorSpec", "MinReplicas cannot be greater than MaxReplicas."},
      {"  predictor: {minReplicas: many, model: {modelFormat: {name: onnx}}}\n", "InvalidPredictorSpec",
       "spec.predictor.minReplicas: must be an integer"},
      {"  predictor: {model: {modelFormat: {name: unheard}, storageUri: 's3://m'}}\n", "NoSupportingRuntime",
       "no runtime found to support predictor with model type: {unheard <nil>}"},
      {"  predictor: {}\n", "InvalidPredictorSpec", "Exactly one of"},
  };
  for (const auto& one : cases) {
    const Decision decision = Make(one.spec);
    ASSERT_TRUE(decision.failure.has_value()) << one.spec;
    EXPECT_EQ(decision.failure->reason, one.reason) << one.spec;
    EXPECT_THAT(decision.failure->event, HasSubstr(one.event));
    EXPECT_THAT(decision.desired.objects, IsEmpty());
  }
}

TEST_F(DecisionTest, AnyDocumentIsDecidedAbout) {
  for (const char* text :
       {"{}", "[]", "x", "{metadata: [], spec: 7}", "{metadata: {name: 3}, spec: {predictor: []}}",
        "{kind: InferenceService, metadata: {name: a, annotations: {serving.kserve.io/deploymentMode: "
        "[]}}, spec: {predictor: {containers: [1, {}]}}}"}) {
    EXPECT_TRUE(Decide(Yaml(text), {.configuration = configuration_, .runtimes = {}, .models = {}}).failure.has_value())
        << text;
  }
}

TEST_F(DecisionTest, AConfigurationThatCannotBeReadStopsAll) {
  configuration_.problems.push_back({.position = {}, .path = "data.ingress", .message = "is no JSON"});
  EXPECT_EQ(Make(kModel).failure->event, "inferenceservice-config: data.ingress: is no JSON");
}

TEST_F(DecisionTest, WhatTheClusterLacksIsNamed) {
  EXPECT_EQ(Make(kModel, "").failure->reason, "KnativeMissing");
  EXPECT_THAT(Make(kModel, "").failure->event, HasSubstr("serving.knative.dev/v1"));
  knative_ = true;
  configuration_.config.ingress.gateway = "g";
  configuration_.config.ingress.service = "s";
  const Decision without_istio = Make(kModel, "");
  EXPECT_FALSE(without_istio.failure.has_value());
  EXPECT_THAT(Kinds(without_istio), ElementsAre("Service", "Service"));
  EXPECT_EQ(without_istio.ingress->reason, "IstioMissing");
  istio_ = true;
  const Decision whole = Make(kModel, "");
  EXPECT_THAT(Kinds(whole), ElementsAre("Service", "VirtualService", "Service"));
  EXPECT_FALSE(whole.ingress.has_value());
}

TEST_F(DecisionTest, WithoutKnativeAComponentHasRevisionsBehindTheGateway) {
  gateway_ = "inferd-gateway.kserve.svc.cluster.local";
  const auto names = [](const Decision& decision) {
    std::vector<std::string> list;
    for (const auto& object : decision.desired.objects) {
      list.push_back(TextAt(object, {"kind"}) + " " + TextAt(object, {"metadata", "name"}));
    }
    return list;
  };
  const std::string first = "digits-predictor-default-00001";
  const Decision decision = Make(kModel, "");
  EXPECT_FALSE(decision.failure.has_value());
  EXPECT_THAT(names(decision),
              testing::IsSupersetOf({"Deployment " + first, "Service " + first,
                                     std::string("Service digits-predictor-default"), std::string("Service digits")}));
  EXPECT_EQ(ObserveRevisions(model::ComponentKind::kPredictor, decision.plans.at(model::ComponentKind::kPredictor), {})
                .revisions.at(0)
                .was_ready,
            false);
  // The pods change, so there is a second revision. The first stays while it has the requests.
  manifest::Value live = decision.desired.objects.at(0);
  live.Set("status", Yaml("{readyReplicas: 1}"));
  deployments_ = {&live};
  EXPECT_EQ(RevisedOf(Make(kModel, ""), deployments_).at(0).new_revision, "") << "the one that there is";
  const Decision second = Make("  predictor: {model: {modelFormat: {name: onnx}, storageUri: 's3://n'}}\n", "");
  ASSERT_EQ(RevisedOf(second, deployments_).size(), 1U);
  EXPECT_EQ(RevisedOf(second, deployments_).at(0).name, "digits-predictor-default");
  EXPECT_EQ(RevisedOf(second, deployments_).at(0).new_revision, "digits-predictor-default-00002");
  EXPECT_EQ(RevisedOf(second, {}).at(0).new_revision, "") << "it takes no one's place";
  EXPECT_THAT(names(second), testing::Contains("Deployment digits-predictor-default-00002"));
  EXPECT_THAT(second.kept, ElementsAre(first));
  const auto state =
      ObserveRevisions(model::ComponentKind::kPredictor, second.plans.at(model::ComponentKind::kPredictor), {});
  ASSERT_EQ(state.revisions.size(), 2U);
  EXPECT_TRUE(state.revisions[0].was_ready);
  EXPECT_EQ(state.traffic.at(0).revision, first);
  // With Knative installed, a service uses Knative.
  knative_ = true;
  deployments_ = {};
  configuration_.config.ingress.disable_virtual_service = true;
  EXPECT_THAT(names(Make(kModel, "")), testing::Contains("Service digits-predictor-default"));
  EXPECT_TRUE(Make(kModel, "").plans.empty());
}

TEST_F(DecisionTest, AServiceStaysWhereItIsUntilItsAnnotationSaysOtherwise) {
  gateway_ = "inferd-gateway.kserve.svc.cluster.local";
  knative_ = true;
  configuration_.config.ingress.disable_virtual_service = true;
  served_ = {.mode = model::DeploymentMode::kServerless, .by_gateway = true};
  for (const char* annotation : {"", "    serving.kserve.io/deploymentMode: Serverless\n"}) {
    const Decision stays = Make(kModel, annotation);
    EXPECT_THAT(Kinds(stays), testing::Contains("Deployment"));
    ASSERT_TRUE(stays.kept_way.has_value());
    EXPECT_EQ(stays.kept_way->reason, "GatewayKept");
  }
  const Decision moves = Make(kModel, "    serving.kserve.io/deploymentMode: Knative\n");
  EXPECT_THAT(Kinds(moves), testing::Not(testing::Contains("Deployment")));
  EXPECT_EQ(moves.kept_way->reason, "MovingToAnotherWay");
  // It was served in another mode before, so the annotation is new.
  served_.mode = model::DeploymentMode::kRawDeployment;
  EXPECT_THAT(Kinds(Make(kModel, "    serving.kserve.io/deploymentMode: Serverless\n")),
              testing::Not(testing::Contains("Deployment")));
}

TEST_F(DecisionTest, AnotherDefaultModeMovesNothing) {
  using enum model::DeploymentMode;
  knative_ = true;
  configuration_.config.ingress.disable_virtual_service = true;
  configuration_.config.default_mode = kServerless;
  served_ = {.mode = kRawDeployment};
  const Decision raw = Make(kModel, "");
  EXPECT_EQ(raw.desired.mode, kRawDeployment);
  EXPECT_THAT(Kinds(raw), testing::Contains("Deployment"));
  EXPECT_THAT(raw.kept_way->message, HasSubstr("stays RawDeployment until its annotation"));
  configuration_.config.default_mode = kRawDeployment;
  served_ = {.mode = kServerless, .by_knative = true};
  const Decision serverless = Make(kModel, "");
  EXPECT_EQ(serverless.desired.mode, kServerless);
  EXPECT_EQ(serverless.kept_way->reason, "DeploymentModeKept");
  EXPECT_EQ(Make(kModel).desired.mode, kRawDeployment) << "the annotation says so";
  configuration_.config.default_mode = kModelMesh;
  EXPECT_TRUE(Make(kModel, "").ours) << "it is still here";
  served_ = {};
  configuration_.config.default_mode = kRawDeployment;
  EXPECT_EQ(Make(kModel, "").desired.mode, kRawDeployment) << "a new one has the default";
}

// A canary keeps its share while the configuration or the service is invalid.
TEST_F(DecisionTest, RevisionsGoOnAsTheStatusHasThem) {
  const manifest::Value service = Yaml(
      "{status: {components: {predictor: {latestCreatedRevision: p-00002, latestReadyRevision: p-00002, "
      "latestRolledoutRevision: p-00001, traffic: [{latestRevision: true, percent: 10, revisionName: p-00002}, "
      "{latestRevision: false, percent: 90, revisionName: p-00001, tag: prev}]}}}}");
  const auto plan = PlanAsWritten(service, model::ComponentKind::kPredictor);
  EXPECT_FALSE(plan.is_new);
  EXPECT_EQ(plan.rollout.latest_rolled_out, "p-00001");
  ASSERT_EQ(plan.traffic.size(), 2U);
  EXPECT_EQ(plan.traffic[1].percent, 90);
  const auto state = ObserveRevisions(model::ComponentKind::kPredictor, plan, {});
  EXPECT_EQ(state.traffic, plan.traffic);
  EXPECT_EQ(state.revisions.back().name, "p-00002");
  EXPECT_TRUE(state.revisions.back().was_ready);
  gateway_ = "inferd-gateway.kserve.svc.cluster.local";
  const Decision decision = Make(kModel, "");
  const std::vector<const manifest::Value*> deployments = {&decision.desired.objects.at(0)};
  EXPECT_TRUE(HasRevisions(deployments, "digits-predictor-default"));
  EXPECT_FALSE(HasRevisions(deployments, "digits-transformer-default"));
}

TEST_F(DecisionTest, PodsOfKnativeThatTakeNoInitContainersNeedTheWebhook) {
  const char* const no_model = "  predictor: {containers: [{name: kserve-container, image: i}]}\n";
  knative_ = true;
  configuration_.config.ingress.disable_virtual_service = true;
  EXPECT_FALSE(Make(kModel, "").desired.needs_pod_webhook);
  init_containers_ = false;
  const Decision decision = Make(kModel, "");
  EXPECT_TRUE(decision.desired.needs_pod_webhook);
  EXPECT_EQ(manifest::FieldAt(decision.desired.objects.at(0), {"spec", "template", "spec", "initContainers"}), nullptr);
  EXPECT_TRUE(Make("  predictor: {logger: {mode: all}, containers: [{name: kserve-container, image: i}]}\n", "")
                  .desired.needs_pod_webhook);
  EXPECT_FALSE(Make(no_model, "").desired.needs_pod_webhook);
  EXPECT_FALSE(Make(kModel, kRaw).desired.needs_pod_webhook);
  // A field that the webhook would deny is reported before there is a pod.
  EXPECT_EQ(Make("  predictor: {model: {modelFormat: {name: onnx}, storageUri: 'pvc://'}}\n", "").failure->event,
            "Invalid URI must be pvc://<pvcname>/[path]: pvc://");
  knative_ = false;
  gateway_ = "inferd-gateway.kserve.svc.cluster.local";
  EXPECT_FALSE(Make(kModel, "").desired.needs_pod_webhook) << "revisions of the gateway are Deployments";
}

TEST_F(DecisionTest, ServicesOfModelMeshAreAnothers) {
  EXPECT_FALSE(Make(kModel, "    serving.kserve.io/deploymentMode: ModelMesh\n").ours);
}

}  // namespace
}  // namespace inferd::cluster
