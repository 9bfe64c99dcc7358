#include "kserve/model/reconcile/unheeded_annotations.h"

#include <gmock/gmock.h>

#include "kserve/model/objects_fixture.h"

namespace inferd::model {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr ServingWay kPlainRaw{.mode = DeploymentMode::kRawDeployment};
constexpr ServingWay kRawBehindGateway{.mode = DeploymentMode::kRawDeployment, .by_gateway = true};
constexpr ServingWay kByKnative{.mode = DeploymentMode::kServerless};
constexpr ServingWay kBehindGateway{.mode = DeploymentMode::kServerless, .by_gateway = true};

std::vector<std::string> AnnotationsNamed(const std::string& annotation, ServingWay way) {
  const auto service =
      ParseAs<InferenceService>(ServiceYaml("  predictor: {containers: [{image: x}]}\n", "    " + annotation + "\n"));
  std::vector<std::string> texts;
  for (const UnheededField& field : UnheededAnnotations(service, way, {})) {
    EXPECT_EQ(field.path, "metadata.annotations[" + annotation.substr(0, annotation.find(':')) + "]");
    texts.push_back(field.why);
  }
  return texts;
}

TEST(UnheededAnnotationsTest, WhatNothingGoesByIsNamedInEveryWay) {
  for (const ServingWay way : {kPlainRaw, kRawBehindGateway, kByKnative, kBehindGateway}) {
    EXPECT_THAT(AnnotationsNamed("serving.kserve.io/stop: 'true'", way), ElementsAre("nothing here goes by it"));
    EXPECT_THAT(AnnotationsNamed("serving.kserve.io/deploymentMode: Rawdeployment", way),
                ElementsAre("is no deployment mode; Serverless counts, as configured"));
    EXPECT_THAT(AnnotationsNamed("serving.kserve.io/deploymentMode: RawDeployment", way), IsEmpty());
    EXPECT_THAT(AnnotationsNamed("example.com/mine: a", way), IsEmpty());
    EXPECT_THAT(AnnotationsNamed("serving.kserve.io/gke-accelerator: a", way), IsEmpty());
  }
}

TEST(UnheededAnnotationsTest, AWayHasItsOwn) {
  const struct {
    const char* annotation;
    std::vector<ServingWay> unheeded;
    std::vector<ServingWay> heeded;
  } cases[] = {
      {"autoscaling.knative.dev/window: 12s", {kPlainRaw, kRawBehindGateway}, {kByKnative, kBehindGateway}},
      {"serving.knative.dev/rollout-duration: 12s", {kPlainRaw, kRawBehindGateway, kBehindGateway}, {kByKnative}},
      {"serving.kserve.io/enable-tag-routing: 'true'", {kPlainRaw}, {kRawBehindGateway, kByKnative, kBehindGateway}},
      {"serving.kserve.io/autoscalerClass: none", {kByKnative, kBehindGateway}, {kPlainRaw, kRawBehindGateway}},
      {"serving.kserve.io/targetUtilizationPercentage: '7'", {kByKnative, kBehindGateway}, {kPlainRaw}},
      {"autoscaling.knative.dev/min-scale: '2'", {kPlainRaw, kByKnative, kBehindGateway}, {}},
      {"autoscaling.knative.dev/max-scale: '2'", {kPlainRaw, kByKnative, kBehindGateway}, {}},
      {"serving.kserve.io/enable-metric-aggregation: 'true'", {kPlainRaw}, {kByKnative}},
  };
  for (const auto& one : cases) {
    for (const ServingWay way : one.unheeded)
      EXPECT_EQ(AnnotationsNamed(one.annotation, way).size(), 1U) << one.annotation;
    for (const ServingWay way : one.heeded)
      EXPECT_THAT(AnnotationsNamed(one.annotation, way), IsEmpty()) << one.annotation;
  }
}

// Knative itself refuses such values.
TEST(UnheededAnnotationsTest, WhatIsNoNumberIsNamedWhereTheGatewayReadsIt) {
  EXPECT_THAT(AnnotationsNamed("autoscaling.knative.dev/window: soon", kByKnative), IsEmpty());
  EXPECT_THAT(AnnotationsNamed("autoscaling.knative.dev/window: soon", kBehindGateway),
              ElementsAre("'soon' is no duration in the range; defaults count for all of autoscaling.knative.dev/"));
  EXPECT_THAT(
      AnnotationsNamed("autoscaling.knative.dev/initial-scale: many", kBehindGateway),
      ElementsAre("'many' must be an integer of at least 0; defaults count for all of autoscaling.knative.dev/"));
}

}  // namespace
}  // namespace inferd::model
