#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/manifest/read.h"
#include "kserve/model/api/object.h"

namespace inferd::model {

// Reads the objects of a YAML text.
inline std::vector<Object> ParseObjects(std::string_view yaml) {
  auto documents = manifest::ReadYaml(yaml, "f");
  EXPECT_TRUE(documents.has_value()) << (documents.has_value() ? "" : documents.error().message());
  return documents.has_value() ? ReadObjects(*std::move(documents)) : std::vector<Object>();
}

inline std::vector<std::string> TextsOf(const manifest::Problems& problems) {
  std::vector<std::string> texts;
  for (const manifest::Problem& problem : problems) texts.push_back(problem.ToString("f"));
  return texts;
}

// Reads the only object of a text as its type. The object must have no problems.
template <typename Type>
Type ParseAs(std::string_view yaml) {
  std::vector<Object> objects = ParseObjects(yaml);
  EXPECT_EQ(objects.size(), 1U);
  if (objects.size() != 1) return Type();
  EXPECT_EQ(TextsOf(objects[0].problems), std::vector<std::string>());
  Type* typed = std::get_if<Type>(&objects[0].typed);
  EXPECT_NE(typed, nullptr) << "another kind";
  return typed == nullptr ? Type() : std::move(*typed);
}

// Returns an InferenceService called "digits" in the namespace "models". `spec` is the text below `spec:`, indented by
// two spaces.
inline std::string ServiceYaml(std::string_view spec, std::string_view annotations = "") {
  std::string yaml = "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata:\n  name: digits\n";
  yaml += "  namespace: models\n";
  if (!annotations.empty()) yaml += "  annotations:\n" + std::string(annotations);
  return yaml + "spec:\n" + std::string(spec);
}

// Returns a ClusterServingRuntime with one container. `spec` is the text below `spec:`, indented by two spaces.
inline std::string RuntimeYaml(std::string_view name, std::string_view spec) {
  return "apiVersion: serving.kserve.io/v1alpha1\nkind: ClusterServingRuntime\nmetadata:\n  name: " +
         std::string(name) + "\nspec:\n" + std::string(spec) +
         "  containers: [{name: kserve-container, image: server:1}]\n";
}

}  // namespace inferd::model
