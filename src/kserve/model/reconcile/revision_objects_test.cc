#include "kserve/model/reconcile/revision_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/manifest/print.h"
#include "kserve/model/objects_fixture.h"
#include "kserve/model/reconcile/gateway_objects.h"

namespace inferd::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kContainer = "    containers: [{name: kserve-container, image: server:1}]\n";

// The revisions of a custom predictor.
class RevisionObjectsTest : public ::testing::Test {
 protected:
  std::vector<manifest::Value> Make(const std::string& more = "", const std::string& annotations = "",
                                    DeploymentMode mode = DeploymentMode::kServerless) {
    Resolve(more, annotations);
    return RevisionObjects(service_, pod_, mode, 2);
  }
  std::string Made(const std::string& more = "", DeploymentMode mode = DeploymentMode::kServerless) {
    Resolve(more, "");
    return MadeOf(service_, pod_, mode);
  }
  void Resolve(const std::string& more, const std::string& annotations) {
    service_ = ParseAs<InferenceService>(ServiceYaml("  predictor:\n" + more + std::string(kContainer), annotations));
    service_.metadata.uid = "u-1";
    pod_ = ResolvePredictor(service_, nullptr).value();
  }
  static std::vector<std::string> Names(const std::vector<manifest::Value>& objects) {
    std::vector<std::string> names;
    for (const manifest::Value& object : objects) {
      names.push_back(object.Find("kind")->text() + " " + object.Find("metadata")->Find("name")->text());
    }
    return names;
  }

  InferenceService service_;
  ResolvedPod pod_;
};

// Otherwise two autoscalers would scale one Deployment.
TEST_F(RevisionObjectsTest, AnotherAutoscalerClassHasNoAutoscaler) {
  const std::string none = "    serving.kserve.io/autoscalerClass: none\n";
  const auto raw = Make("    minReplicas: 3\n", none, DeploymentMode::kRawDeployment);
  EXPECT_THAT(Names(raw),
              ElementsAre("Deployment digits-predictor-default-00002", "Service digits-predictor-default-00002"));
  EXPECT_EQ(raw[0].Find("spec")->Find("replicas")->text(), "3");
  const auto external = Make("", "    serving.kserve.io/autoscalerClass: external\n", DeploymentMode::kRawDeployment);
  EXPECT_EQ(external.size(), 2U);
  const auto serverless = Make("    minReplicas: 3\n", none);
  EXPECT_EQ(serverless[0].Find("spec")->Find("replicas"), nullptr) << "the class is raw mode's; replicas the gateway's";
}

TEST_F(RevisionObjectsTest, ADeploymentSaysAllThatIsToBeKnownOfIt) {
  const auto objects = Make(
      "    minReplicas: 0\n    maxReplicas: 7\n    containerConcurrency: 3\n    timeout: 20\n"
      "    scaleMetric: rps\n    scaleTarget: 40\n",
      "    autoscaling.knative.dev/window: 12s\n");
  EXPECT_THAT(Names(objects),
              ElementsAre("Deployment digits-predictor-default-00002", "Service digits-predictor-default-00002"));
  EXPECT_EQ(objects[0].Find("spec")->Find("replicas"), nullptr) << "the gateway's";
  manifest::Value live = objects[0];
  live.MapAt("metadata").Set("resourceVersion", manifest::Value::String("9"));
  live.MapAt("spec").Set("replicas", manifest::Value::Int(4));
  live.MapAt("status").Set("readyReplicas", manifest::Value::Int(2));
  const auto revision = ReadRevision(live);
  ASSERT_TRUE(revision.has_value());
  EXPECT_EQ(revision->name, "digits-predictor-default-00002");
  EXPECT_EQ(revision->namespace_name, "models");
  EXPECT_EQ(revision->component, "digits-predictor-default");
  EXPECT_EQ(revision->number, 2);
  EXPECT_EQ(revision->service, "digits");
  EXPECT_EQ(revision->service_uid, "u-1");
  EXPECT_EQ(revision->made_of, MadeOf(service_, pod_, DeploymentMode::kServerless));
  EXPECT_EQ(revision->settings.min_scale, 0);
  EXPECT_EQ(revision->settings.max_scale, 7);
  EXPECT_EQ(revision->settings.container_concurrency, 3);
  EXPECT_EQ(revision->settings.metric, KnativeSettings::Metric::kRequestsPerSecond);
  EXPECT_EQ(revision->settings.total_value, 40);
  EXPECT_EQ(revision->settings.stable_window, std::chrono::seconds(12));
  EXPECT_EQ(revision->timeout, std::chrono::seconds(20));
  EXPECT_EQ(revision->scaling, RevisionScaling::kByRequests);
  EXPECT_EQ(revision->replicas, 4);
  EXPECT_EQ(revision->ready, 2);
  EXPECT_EQ(revision->resource_version, "9");
}

TEST_F(RevisionObjectsTest, ItsPodsAreFoundReadySoon) {
  const std::string text = manifest::ToYaml(Make()[0]);
  EXPECT_THAT(text, HasSubstr("periodSeconds: 1\n"));
  const auto given = Make("");
  pod_.pod_spec.Find("containers")
      ->items()
      .front()
      .Set("readinessProbe", manifest::Value::Map({{"periodSeconds", manifest::Value::Int(5)}}));
  EXPECT_THAT(manifest::ToYaml(RevisionObjects(service_, pod_, DeploymentMode::kServerless, 1)[0]),
              HasSubstr("periodSeconds: 5\n"));
}

TEST_F(RevisionObjectsTest, PortsOfItsService) {
  const auto ports = [this](const std::string& container_ports) {
    Resolve("", "");
    if (!container_ports.empty()) {
      pod_.pod_spec.Find("containers")->items().front().Set("ports", manifest::ReadYaml(container_ports, "f")->front());
    }
    return manifest::ToJson(
        *RevisionObjects(service_, pod_, DeploymentMode::kServerless, 1)[1].Find("spec")->Find("ports"));
  };
  EXPECT_THAT(ports(""), HasSubstr(R"("targetPort":8080)"));
  EXPECT_THAT(ports("[{containerPort: 9000, name: h2c}]"), HasSubstr(R"("name":"http","port":80,"targetPort":9000)"));
  EXPECT_THAT(ports("[{containerPort: 9000, name: h2c}, {containerPort: 8000}]"),
              testing::AllOf(HasSubstr(R"("name":"http","port":80,"targetPort":8000)"),
                             HasSubstr(R"("name":"grpc","port":81,"targetPort":9000)")));
  EXPECT_THAT(ports("[{name: x}, {containerPort: 8000}]"), HasSubstr(R"("targetPort":8000)"));
  EXPECT_THAT(manifest::ToJson(*Make("    logger: {mode: all}\n")[1].Find("spec")), HasSubstr(R"("targetPort":9081)"));
}

TEST_F(RevisionObjectsTest, WhatPodsUseScalesThoseOfRawMode) {
  const auto objects = Make("    minReplicas: 2\n", "", DeploymentMode::kRawDeployment);
  EXPECT_THAT(Names(objects),
              ElementsAre("Deployment digits-predictor-default-00002", "Service digits-predictor-default-00002",
                          "HorizontalPodAutoscaler digits-predictor-default-00002"));
  EXPECT_EQ(ReadRevision(objects[0])->scaling, RevisionScaling::kByUsage);
  const auto by_class = Make("", "    autoscaling.knative.dev/class: hpa.autoscaling.knative.dev\n");
  EXPECT_EQ(by_class.size(), 3U);
  EXPECT_EQ(ReadRevision(by_class[0])->scaling, RevisionScaling::kByUsage);
}

TEST_F(RevisionObjectsTest, WhatMakesANewRevision) {
  const std::string before = Made();
  EXPECT_EQ(Made(), before);
  EXPECT_EQ(Made("    canaryTrafficPercent: 10\n"), before) << "a share is none of it";
  EXPECT_NE(Made("    minReplicas: 0\n"), before);
  EXPECT_NE(Made("    containerConcurrency: 1\n"), before);
  EXPECT_NE(Made("    timeout: 1\n"), before);
  EXPECT_NE(Made("    serviceAccountName: other\n"), before);
  EXPECT_NE(Made("", DeploymentMode::kRawDeployment), before);
}

TEST_F(RevisionObjectsTest, PodsThatAnAutoscalerOfKubernetesScalesStayWhenItsBoundsChange) {
  constexpr DeploymentMode kRaw = DeploymentMode::kRawDeployment;
  const std::string scaling = "    minReplicas: 2\n    maxReplicas: 3\n    scaleMetric: memory\n    scaleTarget: 60\n";
  EXPECT_EQ(Made(scaling, kRaw), Made("", kRaw));
  const std::string annotations = "    serving.kserve.io/autoscalerClass: none\n";
  Resolve("    minReplicas: 2\n", annotations);
  const std::string two = MadeOf(service_, pod_, kRaw);
  Resolve("    minReplicas: 3\n", annotations);
  EXPECT_EQ(MadeOf(service_, pod_, kRaw), two);
}

TEST_F(RevisionObjectsTest, WhatIsNoRevision) {
  const manifest::Value revision = Make()[0];
  const auto without = [&](const std::function<void(manifest::Value&)>& change) {
    manifest::Value changed = revision;
    change(changed.MapAt("metadata"));
    return ReadRevision(changed);
  };
  ASSERT_TRUE(ReadRevision(revision).has_value());
  EXPECT_FALSE(ReadRevision(manifest::Value()).has_value());
  EXPECT_FALSE(without([](auto& metadata) { metadata.Remove("labels"); }).has_value());
  EXPECT_FALSE(without([](auto& metadata) { metadata.Remove("ownerReferences"); }).has_value());
  EXPECT_FALSE(without([](auto& metadata) { metadata.Set("name", manifest::Value::String("other")); }).has_value());
  const auto odd = without([](auto& metadata) {
    manifest::Value& annotations = metadata.MapAt("annotations");
    annotations.Set("autoscaling.knative.dev/target", manifest::Value::String("x"));
    annotations.Set("serving.inferd.io/timeout-seconds", manifest::Value::String("-1"));
    annotations.Set("serving.inferd.io/container-concurrency", manifest::Value::String("-5"));
  });
  ASSERT_TRUE(odd.has_value());
  EXPECT_EQ(odd->settings.min_scale, 1);
  EXPECT_EQ(odd->settings.container_concurrency, 0);
  EXPECT_EQ(odd->timeout, std::chrono::seconds(300));
}

TEST_F(RevisionObjectsTest, WhatLeadsToTheGateway) {
  Resolve("", "");
  const std::vector<TrafficTarget> traffic = {{.revision = "a", .latest = true, .percent = 10, .tag = ""},
                                              {.revision = "b", .latest = false, .percent = 90, .tag = "prev"}};
  const auto names =
      GatewayComponentNames(service_, ComponentKind::kPredictor, traffic, "inferd-gateway.kserve.svc.cluster.local");
  EXPECT_THAT(Names(names), ElementsAre("Service digits-predictor-default", "Service prev-digits-predictor-default"));
  EXPECT_THAT(manifest::ToYaml(names[0]), HasSubstr("externalName: inferd-gateway.kserve.svc.cluster.local\n"));
  InferenceServiceConfig config;
  config.ingress.class_name = "nginx";
  const auto ingress = GatewayIngress(service_, std::vector{pod_}, config);
  ASSERT_TRUE(ingress.has_value());
  const std::string text = manifest::ToYaml(*ingress);
  EXPECT_THAT(text, HasSubstr("host: digits-models.example.com\n"));
  EXPECT_THAT(text, HasSubstr("host: digits-predictor-default-models.example.com\n"));
  EXPECT_THAT(text, HasSubstr("ingressClassName: nginx\n"));
  EXPECT_THAT(text, Not(HasSubstr("name: digits-predictor-default\n")));
  config.ingress.domain_template = "{{.Nothing}}";
  EXPECT_FALSE(GatewayIngress(service_, std::vector{pod_}, config).has_value());
}

TEST_F(RevisionObjectsTest, WhichServicesGoThroughTheGateway) {
  struct Case {
    DeploymentMode mode;
    bool knative;
    std::string canary;
    std::string annotations;
    bool uses;
  };
  const std::string tags = "    serving.kserve.io/enable-tag-routing: \"true\"\n";
  const std::string canary = "    canaryTrafficPercent: 10\n";
  for (const Case& each : std::vector<Case>{{DeploymentMode::kServerless, false, "", "", true},
                                            {DeploymentMode::kServerless, true, canary, tags, false},
                                            {DeploymentMode::kRawDeployment, false, "", "", false},
                                            {DeploymentMode::kRawDeployment, true, canary, "", true},
                                            {DeploymentMode::kRawDeployment, false, "", tags, true}}) {
    Resolve(each.canary, each.annotations);
    EXPECT_EQ(UsesGateway(service_, std::vector{pod_}, each.mode, each.knative), each.uses)
        << each.canary << each.annotations;
  }
}

}  // namespace
}  // namespace inferd::model
