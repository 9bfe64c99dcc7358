#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "data/manifest/print.h"
#include "data/manifest/value_path.h"
#include "data/wire/reader.h"
#include "kserve/apiserver/openapi/document.h"
#include "kserve/apiserver/openapi/protobuf.h"

namespace inferd::apiserver {
namespace {

using manifest::Text;
using manifest::Value;

// Calls `check` with the text of each reference in the value.
void ForReferences(const Value& value, const std::function<void(const std::string&)>& check) {
  for (const Value& item : value.items()) ForReferences(item, check);
  for (const manifest::Member& member : value.members()) {
    if (member.key == "$ref") check(member.value.text());
    ForReferences(member.value, check);
  }
}

TEST(OpenApiTest, WhatIsReferredToIsThere) {
  const Value document = OpenApiV2();
  int references = 0;
  ForReferences(document, [&](const std::string& reference) {
    ++references;
    ASSERT_TRUE(reference.starts_with("#/definitions/")) << reference;
    EXPECT_NE(FieldAt(document, {"definitions", std::string_view(reference).substr(14)}), nullptr) << reference;
  });
  EXPECT_GT(references, 20);
  for (const std::string_view version : {"v1beta1", "v1alpha1"}) {
    const auto own = OpenApiV3("serving.kserve.io", version);
    ASSERT_TRUE(own.has_value());
    ForReferences(*own, [&](const std::string& reference) {
      ASSERT_TRUE(reference.starts_with("#/components/schemas/")) << reference;
      EXPECT_NE(FieldAt(*own, {"components", "schemas", std::string_view(reference).substr(21)}), nullptr) << reference;
    });
  }
  EXPECT_TRUE(OpenApiV3("", "v1").has_value());
  EXPECT_FALSE(OpenApiV3("apps", "v1").has_value());
}

TEST(OpenApiTest, KindsSayWhatTheyAre) {
  const Value document = OpenApiV2();
  const Value* const service = FieldAt(document, {"definitions", "io.kserve.serving.v1beta1.InferenceService"});
  ASSERT_NE(service, nullptr);
  EXPECT_EQ(manifest::ToJson(*service->Find("x-kubernetes-group-version-kind")),
            R"([{"group":"serving.kserve.io","kind":"InferenceService","version":"v1beta1"}])");
  EXPECT_EQ(TextAt(*service, {"properties", "spec", "$ref"}),
            "#/definitions/io.kserve.serving.v1beta1.InferenceServiceSpec");
  const Value* const patch = FieldAt(
      document, {"paths", "/apis/serving.kserve.io/v1beta1/namespaces/{namespace}/inferenceservices/{name}", "patch"});
  ASSERT_NE(patch, nullptr);
  EXPECT_EQ(TextAt(patch->Find("parameters")->items().front(), {"name"}), "dryRun");
}

TEST(OpenApiTest, TheIndexLeadsToEachVersion) {
  const Value index = OpenApiV3Index();
  const std::string url = TextAt(index, {"paths", "apis/serving.kserve.io/v1beta1", "serverRelativeURL"});
  EXPECT_TRUE(url.starts_with("/openapi/v3/apis/serving.kserve.io/v1beta1?hash=")) << url;
  EXPECT_NE(FieldAt(index, {"paths", "api/v1"}), nullptr);
}

// Returns the bytes of a message's first field with that number.
std::string_view FieldOf(std::string_view message, uint32_t number) {
  wire::Reader reader(message);
  while (const uint32_t tag = reader.Next()) {
    if (wire::NumberOf(tag) == number) return reader.Bytes();
    reader.Skip();
  }
  return {};
}

TEST(OpenApiTest, TheProtobufFormHasTheSameInIt) {
  const std::string message = OpenApiProtobuf(Value::Map(
      {{"swagger", Text("2.0")},
       {"info", Value::Map({{"title", Text("t")}, {"version", Text("v")}})},
       {"definitions",
        Value::Map({{"A", Value::Map({{"type", Text("object")},
                                      {"properties", Value::Map({{"b", Value::Map({{"$ref", Text("#/B")}})}})},
                                      {"x-k", Value::List({Value::Map({{"kind", Text("A")}})})}})}})}}));
  EXPECT_EQ(FieldOf(message, 1), "2.0");
  EXPECT_EQ(FieldOf(FieldOf(message, 2), 1), "t");
  const std::string_view named = FieldOf(FieldOf(message, 9), 1);
  EXPECT_EQ(FieldOf(named, 1), "A");
  const std::string_view schema = FieldOf(named, 2);
  EXPECT_EQ(FieldOf(FieldOf(schema, 22), 1), "object");
  const std::string_view property = FieldOf(FieldOf(schema, 25), 1);
  EXPECT_EQ(FieldOf(property, 1), "b");
  EXPECT_EQ(FieldOf(FieldOf(property, 2), 1), "#/B");
  EXPECT_EQ(FieldOf(FieldOf(schema, 31), 1), "x-k");
  EXPECT_EQ(FieldOf(FieldOf(FieldOf(schema, 31), 2), 2), "- kind: A\n");
}

}  // namespace
}  // namespace inferd::apiserver
