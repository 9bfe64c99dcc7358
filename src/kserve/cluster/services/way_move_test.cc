#include "kserve/cluster/services/way_move.h"

#include <gmock/gmock.h>

#include <array>

#include "data/manifest/value_path.h"
#include "kserve/cluster/object_fixture.h"
#include "kserve/cluster/objects/resources.h"
#include "kserve/cluster/services/decision.h"
#include "kserve/model/api/annotations.h"
#include "kserve/model/objects_fixture.h"

namespace inferd::cluster {
namespace {

using manifest::TextAt;
using manifest::Value;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using enum ServedBy;
using Step = WayMove::Step;

constexpr const char* kObject = "digits-predictor-default";
constexpr const char* kRouted = "{type: PredictorReady, status: 'True'}, {type: PredictorRouteReady, status: 'True'}";
constexpr const char* kPlain = "{type: PredictorReady, status: 'True'}";

// Tests with a service in a cluster with Knative, Istio and the gateway that must move to another way of serving.
class WayMoveTest : public testing::Test {
 protected:
  WayMoveTest() { configuration_.config.ingress.disable_virtual_service = true; }

  // `mode` is the value of its annotation, `served` its current way.
  Decision Make(const std::string& mode, ServedWay served, const std::string& status, const std::string& more = "") {
    const std::vector<const model::ServingRuntime*> runtimes = {&runtime_};
    Value document =
        Yaml(model::ServiceYaml("  predictor: {model: {modelFormat: {name: onnx}, storageUri: 's3://m'}" + more + "}\n",
                                "    serving.kserve.io/deploymentMode: " + mode + "\n"));
    document.MapAt("metadata").Set("uid", Value::String("u1"));
    document.Set("status", Yaml(status));
    return Decide(document, {.configuration = configuration_,
                             .runtimes = runtimes,
                             .models = {},
                             .has_knative = true,
                             .injection = {},
                             .gateway_host = "inferd-gateway.kserve.svc.cluster.local",
                             .deployments = deployments_,
                             .knative_services = knative_services_,
                             .served = served});
  }
  static std::vector<std::string> Names(const Decision& decision) {
    std::vector<std::string> names;
    for (const Value& object : decision.desired.objects) {
      names.push_back(TextAt(object, {"kind"}) + " " + TextAt(object, {"metadata", "name"}));
    }
    return names;
  }
  bool Goes(const Decision& decision, const kubernetes::Resource& resource, const std::string& name) {
    const LabelledObject stray{&resource, std::make_shared<const Value>(Yaml("{metadata: {name: " + name + "}}"))};
    const auto goes = WhatGoes(decision);
    return !goes || goes(stray);
  }
  void Have(std::vector<const Value*>& objects, const std::string& yaml) {
    kept_.push_back(std::make_unique<Value>(Yaml(yaml)));
    objects = {kept_.back().get()};
  }

  Configuration configuration_;
  std::vector<const Value*> deployments_;
  std::vector<const Value*> knative_services_;
  std::vector<std::unique_ptr<Value>> kept_;
  const model::ServingRuntime runtime_ = model::ParseAs<model::ServingRuntime>(
      model::RuntimeYaml("mine", "  supportedModelFormats: [{name: onnx, autoSelect: true}]\n"));
};

const std::string kRawStatus = std::string("{conditions: [") + kPlain + "]}";
const std::string kRoutedStatus = std::string("{conditions: [") + kRouted + "]}";
constexpr ServedWay kRaw = {.mode = model::DeploymentMode::kRawDeployment, .by_deployment = true};
constexpr ServedWay kByKnative = {.mode = model::DeploymentMode::kServerless, .by_knative = true};
constexpr ServedWay kByGateway = {.mode = model::DeploymentMode::kServerless, .by_gateway = true};
constexpr ServedWay kRawAndKnative = {.by_knative = true, .by_deployment = true};

std::string KnativeService(const std::string& configuration, const std::string& ready) {
  return std::string("{metadata: {name: ") + kObject +
         "}, status: {conditions: [{type: ConfigurationsReady, status: '" + configuration +
         "'}, {type: Ready, status: '" + ready + "'}]}}";
}

std::string Deployment(const std::string& available) {
  return std::string("{metadata: {name: ") + kObject +
         ", generation: 1}, status: {observedGeneration: 1, conditions: [{type: Available, status: '" + available +
         "'}, {type: Progressing, status: 'True', reason: NewReplicaSetAvailable}]}}";
}

TEST_F(WayMoveTest, AServiceThatStaysMovesNowhere) {
  EXPECT_FALSE(Make("RawDeployment", kRaw, kRawStatus).move.has_value());
  EXPECT_FALSE(Make("Serverless", kByKnative, kRoutedStatus).move.has_value());
  EXPECT_FALSE(Make("Serverless", {}, "{}").move.has_value()) << "a new one";
  EXPECT_FALSE(Make("Serverless", kByGateway, kRoutedStatus).move.has_value()) << "Knative came beside the gateway";
}

TEST_F(WayMoveTest, FromADeploymentToKnativeItsServiceIsReadyFirst) {
  const Decision first = Make("Serverless", kRaw, kRawStatus);
  ASSERT_TRUE(first.move.has_value());
  EXPECT_EQ(first.move->step, Step::kPrepare);
  EXPECT_EQ(first.move->before, kDeployment);
  EXPECT_EQ(first.move->mode, model::DeploymentMode::kRawDeployment) << "what the status tells of";
  EXPECT_THAT(Names(first), ElementsAre(std::string("Service ") + kObject)) << "Knative's";
  EXPECT_EQ(first.kept_way->reason, "MovingToAnotherWay");
  EXPECT_FALSE(Goes(first, Deployments(), kObject));
  // The pods are ready, and the route needs the name.
  Have(knative_services_, KnativeService("True", "False"));
  const Decision second = Make("Serverless", kRawAndKnative, kRawStatus);
  EXPECT_EQ(second.move->step, Step::kFreeNames);
  EXPECT_TRUE(Goes(second, PlainServices(), kObject));
  EXPECT_FALSE(Goes(second, PlainServices(), "digits")) << "it still leads to the pods of before";
  EXPECT_FALSE(Goes(second, Deployments(), kObject));
  Have(knative_services_, KnativeService("True", "True"));
  const Decision last = Make("Serverless", kRawAndKnative, kRawStatus);
  EXPECT_EQ(last.move->step, Step::kFinish);
  EXPECT_TRUE(Goes(last, Deployments(), kObject));
  EXPECT_FALSE(last.kept_way.has_value());
}

TEST_F(WayMoveTest, FromKnativeToADeploymentItIsAvailableFirst) {
  for (const char* available : {"", "False"}) {
    if (*available != '\0') Have(deployments_, Deployment(available));
    const Decision first = Make("RawDeployment", kByKnative, kRoutedStatus);
    EXPECT_EQ(first.move->step, Step::kPrepare);
    EXPECT_EQ(first.move->mode, model::DeploymentMode::kServerless);
    EXPECT_THAT(Names(first),
                ElementsAre(std::string("Deployment ") + kObject, std::string("HorizontalPodAutoscaler ") + kObject));
    EXPECT_FALSE(Goes(first, KnativeServices(), kObject));
  }
  Have(deployments_, Deployment("True"));
  const Decision last = Make("RawDeployment", kRawAndKnative, kRoutedStatus);
  EXPECT_EQ(last.move->step, Step::kFinish);
  EXPECT_THAT(Names(last), IsSupersetOf({std::string("Service ") + kObject, std::string("Service digits")}));
  EXPECT_TRUE(Goes(last, KnativeServices(), kObject));
}

TEST_F(WayMoveTest, FromTheGatewayToADeploymentRevisionsStayUntilItIsAvailable) {
  const Decision first = Make("RawDeployment", kByGateway, kRoutedStatus);
  EXPECT_EQ(first.move->before, kGateway);
  EXPECT_EQ(first.move->step, Step::kPrepare);
  EXPECT_FALSE(Goes(first, Deployments(), std::string(kObject) + "-00001"));
  EXPECT_THAT(Names(first), Not(Contains(std::string("Service ") + kObject))) << "it leads to the gateway";
  Have(deployments_, Deployment("True"));
  EXPECT_EQ(Make("RawDeployment", kByGateway, kRoutedStatus).move->step, Step::kFinish);
}

TEST_F(WayMoveTest, FromADeploymentToTheGatewayTheStatusHasTheSharesFirst) {
  // In raw mode, tags need the gateway.
  const std::string tags = "RawDeployment\n    serving.kserve.io/enable-tag-routing: 'true'";
  const Decision first = Make(tags, kRaw, kRawStatus);
  ASSERT_TRUE(first.move.has_value());
  EXPECT_EQ(first.move->step, Step::kPrepare);
  const std::string revision = std::string(kObject) + "-00001";
  EXPECT_THAT(Names(first), IsSupersetOf({"Deployment " + revision, "Service " + revision}));
  EXPECT_THAT(Names(first), Not(Contains("Service digits")));
  Value live = first.desired.objects.front();
  live.Set("status", Yaml("{readyReplicas: 1}"));
  deployments_ = {&live};
  const Decision second = Make(tags, kRaw, kRawStatus);
  EXPECT_EQ(second.move->step, Step::kShow);
  EXPECT_FALSE(second.move->observes_before()) << "the status has the shares, by which the gateway goes";
  EXPECT_THAT(Names(second), Not(Contains("Service digits")));
  EXPECT_FALSE(Goes(second, Deployments(), kObject));
  const std::string shares = "{conditions: [" + std::string(kPlain) + "], components: {predictor: {traffic: " +
                             "[{latestRevision: true, percent: 100, revisionName: " + revision + "}]}}}";
  const Decision last = Make(tags, kRaw, shares);
  EXPECT_EQ(last.move->step, Step::kFinish);
  EXPECT_THAT(Names(last), IsSupersetOf({std::string("Service ") + kObject, std::string("Service digits")}));
}

// Revisions of Knative and of the gateway have the same names, but are different.
TEST_F(WayMoveTest, RevisionsOfTheWayBeforeAreNoneOfTheNew) {
  const std::string status = "{conditions: [" + std::string(kRouted) +
                             "], components: {predictor: {latestReadyRevision: digits-predictor-default-00001, "
                             "latestRolledoutRevision: digits-predictor-default-00001, previousRolledoutRevision: "
                             "digits-predictor-default-00000}}}";
  const Decision moving = Make("Knative", kByGateway, status);
  ASSERT_TRUE(moving.move.has_value());
  EXPECT_EQ(moving.move->step, Step::kPrepare);
  const Value& service = moving.desired.objects.front();
  EXPECT_EQ(manifest::FieldAt(service, {"spec", "traffic"})->items().size(), 1U) << "all of the requests, to the new";
  EXPECT_EQ(moving.service.document.Find("status")->Find("components"), nullptr);
}

TEST_F(WayMoveTest, ACanaryKeepsItsShare) {
  const std::string status = "{conditions: [" + std::string(kRouted) +
                             "], components: {predictor: {latestCreatedRevision: digits-predictor-default-00002, "
                             "latestReadyRevision: digits-predictor-default-00002, latestRolledoutRevision: "
                             "digits-predictor-default-00001, traffic: [{latestRevision: true, percent: 20, "
                             "revisionName: digits-predictor-default-00002}, {latestRevision: false, percent: 80, "
                             "revisionName: digits-predictor-default-00001, tag: prev}]}}}";
  const Decision stays = Make("RawDeployment", kByKnative, status, ", canaryTrafficPercent: 20");
  EXPECT_FALSE(stays.move.has_value());
  EXPECT_EQ(stays.kept_way->reason, "CanaryKept");
  EXPECT_EQ(stays.desired.mode, model::DeploymentMode::kServerless);
  ASSERT_FALSE(stays.desired.objects.empty());
  const Value& service = stays.desired.objects.front();
  EXPECT_EQ(TextAt(service, {"apiVersion"}), "serving.knative.dev/v1");
  EXPECT_EQ(manifest::FieldAt(service, {"spec", "traffic"})->items().size(), 2U);
  // After the promotion it moves with all requests.
  EXPECT_TRUE(Make("RawDeployment", kByKnative, status).move.has_value());
}

TEST_F(WayMoveTest, WhoTurnsBackIsThereAtOnce) {
  Have(knative_services_, KnativeService("False", "False"));
  Have(deployments_, Deployment("True"));
  const Decision back = Make("RawDeployment", kRawAndKnative, kRawStatus);
  EXPECT_EQ(back.move->step, Step::kFinish);
  EXPECT_TRUE(Goes(back, KnativeServices(), kObject));
}

}  // namespace
}  // namespace inferd::cluster
