#include "kserve/model/api/field_types.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "kserve/model/objects_fixture.h"
#include "kserve/model/schema/field_walk_fixture.h"

namespace inferd::model {
namespace {

using manifest::Kind;
using manifest::Value;

std::vector<Value> ValuesOfAllTypes() {
  return {Value::Bool(true),
          Value::Number("7"),
          Value::Number("1.5"),
          Value::String("x"),
          Value::List({Value::Number("1")}),
          Value::List({Value::String("x")}),
          Value::Map({{"a", Value::Number("1")}}),
          Value::Map({{"a", Value::String("x")}})};
}

bool IsRight(const Field& field, const Value& value) {
  const auto is_one = [&](const Value& one) {
    switch (field.type) {
      case FieldType::kText: return one.is(Kind::kString);
      case FieldType::kInteger: return one.text() == "7" && one.is(Kind::kNumber);
      case FieldType::kBoolean: return one.is(Kind::kBool);
      case FieldType::kObject: return one.is(Kind::kMap);
      case FieldType::kAny: break;
    }
    return true;
  };
  if (field.shape == FieldShape::kOne) return is_one(value);
  if (field.shape == FieldShape::kList) return value.is(Kind::kList) && std::ranges::all_of(value.items(), is_one);
  return value.is(Kind::kMap) &&
         std::ranges::all_of(value.members(), [&](const manifest::Member& member) { return is_one(member.value); });
}

class FieldTypesTest : public testing::TestWithParam<const char*> {};

TEST_P(FieldTypesTest, AWrongTypeInAnyFieldIsNamed) {
  const std::string_view kind = GetParam();
  const std::string version = kind == "InferenceService" ? "v1beta1" : "v1alpha1";
  size_t checked = 0;
  for (const WalkedField& walked : WalkFields(kind)) {
    for (const Value& value : ValuesOfAllTypes()) {
      if (IsRight(walked.field(), value)) continue;
      Value document = Value::Map({{"apiVersion", Value::String("serving.kserve.io/" + version)},
                                   {"kind", Value::String(std::string(kind))},
                                   {"metadata", Value::Map({{"name", Value::String("a")}})},
                                   {"spec", Value::Map()}});
      OwnerOfField(document.MapAt("spec"), walked).Set(walked.field().name, value);
      const Object object = ReadObject(std::move(document));
      const std::string path = "spec." + walked.path;
      const bool named = std::ranges::any_of(
          object.problems, [&](const manifest::Problem& problem) { return problem.path.starts_with(path); });
      EXPECT_TRUE(named) << path << ": " << testing::PrintToString(TextsOf(object.problems));
      ++checked;
    }
  }
  EXPECT_GT(checked, 20U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, FieldTypesTest,
                         testing::Values("InferenceService", "ServingRuntime", "ClusterServingRuntime",
                                         "InferenceGraph", "TrainedModel"));

TEST(FieldTypeTest, ANumberWithAFractionIsShown) {
  const auto objects = ParseObjects(ServiceYaml("  predictor: {terminationGracePeriodSeconds: 1.5}\n"));
  EXPECT_THAT(TextsOf(objects.at(0).problems),
              testing::Contains("f:7:46: spec.predictor.terminationGracePeriodSeconds: must be an integer, not 1.5"));
}

}  // namespace
}  // namespace inferd::model
