#include "kserve/model/api/unknown_fields.h"

#include <gmock/gmock.h>

#include "kserve/model/objects_fixture.h"

namespace inferd::model {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> UnknownIn(std::string_view yaml) {
  std::vector<std::string> paths;
  for (const Object& object : ParseObjects(yaml)) {
    for (const UnknownField& field : FindUnknownFields(object)) {
      paths.push_back(std::to_string(field.position.line) + ": " + field.path);
    }
  }
  return paths;
}

TEST(UnknownFieldsTest, AreFoundAtEveryLevel) {
  EXPECT_THAT(UnknownIn(ServiceYaml("  predictors: {}\n  predictor:\n    minReplica: 1\n    logger: {mod: all}\n"
                                    "    model:\n      storageURI: s3://m\n      modelFormat: {names: x}\n"
                                    "      env: [{name: A, values: b}]\n    containers: [{img: x}]\n"
                                    "  transformer: {model: {}}\n")),
              ElementsAre("7: spec.predictors", "9: spec.predictor.minReplica", "10: spec.predictor.logger.mod",
                          "12: spec.predictor.model.storageURI", "13: spec.predictor.model.modelFormat.names",
                          "14: spec.predictor.model.env[0].values", "15: spec.predictor.containers[0].img",
                          "16: spec.transformer.model"));
  EXPECT_THAT(UnknownIn(RuntimeYaml("r", "  supportedModelFormats: [{name: a, autoselect: true}]\n  protocols: []\n")),
              ElementsAre("6: spec.supportedModelFormats[0].autoselect", "7: spec.protocols"));
  EXPECT_THAT(UnknownIn("apiVersion: serving.kserve.io/v1alpha1\nkind: InferenceGraph\nmetadata: {name: g}\nspec:\n"
                        "  nodes: {root: {type: Switch, steps: [{service: a}]}}\n"),
              ElementsAre("5: spec.nodes.root.type", "5: spec.nodes.root.steps[0].service"));
  EXPECT_THAT(UnknownIn("apiVersion: serving.kserve.io/v1alpha1\nkind: TrainedModel\nmetadata: {name: m}\n"
                        "spec: {model: {uri: a}}\n"),
              ElementsAre("4: spec.model.uri"));
}

TEST(UnknownFieldsTest, KnownOnesAreNot) {
  EXPECT_THAT(UnknownIn(ServiceYaml(
                  "  predictor:\n    minReplicas: 1\n    serviceAccountName: a\n    volumes: [{name: v, other: {}}]\n"
                  "    batcher: {maxBatchSize: 1}\n    sklearn: {storageUri: s, resources: {limits: {cpu: 1}}}\n"
                  "  explainer: {alibi: {type: x, config: {any: thing}}}\n")),
              IsEmpty());
  EXPECT_THAT(UnknownIn("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nspec: {any: thing}\n"), IsEmpty());
}

TEST(UnknownFieldsTest, SayWhichNamesThereAre) {
  const auto objects = ParseObjects(ServiceYaml("  predictor: {onnx: {storageURI: x}}\n"));
  const auto fields = FindUnknownFields(objects.at(0));
  ASSERT_EQ(fields.size(), 1U);
  EXPECT_EQ(fields[0].name, "storageURI");
  EXPECT_THAT(fields[0].known, Contains("storageUri"));
}

}  // namespace
}  // namespace inferd::model
