#include "kserve/model/resolve/review.h"

#include <gmock/gmock.h>

#include "kserve/model/objects_fixture.h"

namespace inferd::model {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::vector<std::string>> ProblemsOf(std::string_view yaml) {
  const std::vector<Object> objects = ParseObjects(yaml);
  std::vector<const Object*> pointers;
  for (const Object& object : objects) pointers.push_back(&object);
  std::vector<std::vector<std::string>> problems;
  for (const ObjectReview& review : ReviewObjects(pointers, {})) problems.push_back(TextsOf(review.problems));
  return problems;
}

TEST(ReviewTest, AppliedObjectsKnowEachOther) {
  const std::string runtime = RuntimeYaml("mine", "  supportedModelFormats: [{name: onnx, autoSelect: true}]\n");
  const std::string service = ServiceYaml("  predictor: {onnx: {storageUri: 's3://m'}}\n");
  EXPECT_THAT(ProblemsOf(service + "---\n" + runtime), ElementsAre(IsEmpty(), IsEmpty()));
  EXPECT_THAT(
      ProblemsOf(service),
      ElementsAre(ElementsAre(
          "f:7:21: spec.predictor.model: no runtime found to support predictor with model type: {onnx <nil>}")));
}

TEST(ReviewTest, AnObjectIsGivenOnce) {
  const std::string service = ServiceYaml("  predictor: {containers: [{image: x}]}\n");
  EXPECT_THAT(ProblemsOf(service + "---\n" + service),
              ElementsAre(IsEmpty(), ElementsAre("f:9:1: metadata.name: the same object is given twice")));
}

TEST(ReviewTest, PlaceholdersThatAreNoneAreSaid) {
  std::string runtime = RuntimeYaml("mine", "  supportedModelFormats: [{name: onnx, autoSelect: true}]\n");
  runtime.replace(runtime.find("server:1"), 8, "'server:{{.Tag}}'");
  const auto problems = ProblemsOf(ServiceYaml("  predictor: {onnx: {storageUri: 's3://m'}}\n") + "---\n" + runtime);
  ASSERT_THAT(problems, ElementsAre(SizeIs(1), IsEmpty()));
  EXPECT_THAT(problems[0][0],
              testing::StartsWith("f:7:21: spec.predictor.model: failed to replace placeholders in serving "
                                  "runtime Container: image: '{{.Tag}}': no placeholder"));
}

TEST(ReviewTest, AppliedRuntimesGoBeforeKnownOnesOfTheSameName) {
  const auto known = ParseAs<ServingRuntime>(RuntimeYaml("mine", "  supportedModelFormats: [{name: onnx}]\n"));
  const std::vector<const ServingRuntime*> all_known = {&known};
  const std::vector<Object> objects =
      ParseObjects(ServiceYaml("  predictor: {onnx: {storageUri: 's3://m'}}\n") + "---\n" +
                   RuntimeYaml("mine", "  supportedModelFormats: [{name: onnx, autoSelect: true}]\n"));
  const std::vector<const Object*> pointers = {&objects[0], &objects[1]};
  const auto reviews = ReviewObjects(pointers, all_known);
  EXPECT_EQ(reviews[0].selection->runtime, std::get_if<ServingRuntime>(&objects[1].typed));
  EXPECT_THAT(reviews[0].selection->candidates, SizeIs(1));
}

TEST(ReviewTest, HostsOfRawModeAreNotTooLong) {
  std::string service =
      ServiceYaml("  predictor: {containers: [{image: x}]}\n", "    serving.kserve.io/deploymentMode: RawDeployment\n");
  service.replace(service.find("digits"), 6, std::string(40, 'a'));
  const auto problems = ProblemsOf(service);
  ASSERT_THAT(problems, ElementsAre(SizeIs(1)));
  EXPECT_THAT(problems[0][0], testing::StartsWith("f:1:1: metadata.name: invalid domain name \"" +
                                                  std::string(40, 'a') + "-predictor-default-models.example.com\": "));
}

TEST(ReviewTest, TheConfigurationCounts) {
  const std::string config =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: inferenceservice-config, namespace: kserve}\n"
      "data: {deploy: '{\"defaultDeploymentMode\": \"RawDeployment\"}'}\n---\n";
  const std::string service = ServiceYaml("  predictor: {containers: [{image: x}], scaleMetric: cpu}\n");
  EXPECT_THAT(ProblemsOf(config + service), ElementsAre(IsEmpty(), IsEmpty()));
  EXPECT_THAT(ProblemsOf(service), ElementsAre(SizeIs(1))) << "cpu is no metric of Knative's autoscaler";
}

}  // namespace
}  // namespace inferd::model
