#include "kserve/model/schema/definition.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "kserve/model/api/component.h"
#include "kserve/model/api/inference_service.h"

namespace inferd::model {
namespace {

constexpr std::string_view kKinds[] = {"InferenceService", "ServingRuntime", "ClusterServingRuntime", "InferenceGraph",
                                       "TrainedModel"};

void Collect(const Definition& definition, std::map<std::string_view, const Definition*>& found) {
  const auto [at, made] = found.emplace(definition.name, &definition);
  EXPECT_EQ(at->second, &definition) << definition.name << " is the name of two definitions";
  if (!made) return;
  for (const Field& field : definition.fields) {
    if (field.object != nullptr) Collect(*field.object, found);
  }
}

TEST(DefinitionTest, NamesAreOfOneThingEach) {
  std::map<std::string_view, const Definition*> found;
  for (const std::string_view kind : kKinds) {
    ASSERT_NE(FindSpecDefinition(kind), nullptr) << kind;
    Collect(*FindSpecDefinition(kind), found);
  }
  for (const auto& [name, definition] : found) {
    std::set<std::string_view> names;
    EXPECT_FALSE(definition->text.empty()) << name;
    for (const Field& field : definition->fields) {
      EXPECT_TRUE(names.insert(field.name).second) << name << "." << field.name << " is there twice";
      EXPECT_EQ(field.object != nullptr, field.type == FieldType::kObject) << name << "." << field.name;
    }
  }
}

TEST(DefinitionTest, WhatIsReadIsThere) {
  const Definition& predictor = *FindSpecDefinition("InferenceService")->Find("predictor")->object;
  for (const std::string_view field : kComponentExtensionFields) EXPECT_NE(predictor.Find(field), nullptr) << field;
  for (const std::string_view field : kLegacyFrameworks) EXPECT_NE(predictor.Find(field), nullptr) << field;
  EXPECT_EQ(predictor.Find("minReplicaz"), nullptr);
  EXPECT_EQ(FindSpecDefinition("ConfigMap"), nullptr);
}

}  // namespace
}  // namespace inferd::model
