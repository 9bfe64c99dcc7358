// Go clients write unset structs as `{}`, and unset lists as `null`. For every field of every kind, absent, null and
// empty must have the same meaning.

#include <gmock/gmock.h>

#include <set>

#include "data/manifest/print.h"
#include "kserve/cluster/objects/difference.h"
#include "kserve/cluster/services/every_field_fixture.h"

namespace inferd::cluster {
namespace {

// True for fields whose presence has a meaning, so that an empty value is not an absent one.
bool CountsWhenEmpty(const WalkedField& walked) {
  static const std::set<std::string_view> kThese = {
      "predictor", "transformer", "explainer", "model",       "sklearn",  "xgboost", "tensorflow",
      "pytorch",   "triton",      "onnx",      "pmml",        "lightgbm", "paddle",  "alibi",
      "aix",       "art",         "storage",   "huggingface", "logger",   "batcher", "modelFormat"};
  return kThese.contains(walked.field().name);
}

bool IsScalar(const Field& field) {
  return field.shape == FieldShape::kOne && field.type != FieldType::kObject && field.type != FieldType::kAny;
}

std::string TextsOf(const Decision& decision) {
  std::string text = decision.failure.has_value() ? decision.failure->Explain() : "";
  for (const std::string& each : decision.unheeded) text += "\n" + each;
  return text;
}

// Describes the differences between two decisions. Empty if there are none.
std::string Differences(const Decision& one, const Decision& other) {
  if (TextsOf(one) != TextsOf(other)) return TextsOf(one) + " | " + TextsOf(other);
  if (one.desired.objects.size() != other.desired.objects.size()) return "another number of objects";
  for (size_t i = 0; i < one.desired.objects.size(); ++i) {
    const Value& a = one.desired.objects[i];
    const Value& b = other.desired.objects[i];
    for (const auto& [before, after] : {std::pair(&a, &b), std::pair(&b, &a)}) {
      const auto differences = FindDifferences(*before, *after);
      if (!differences.empty()) {
        return TextAt(a, {"kind"}) + " " + differences.front().path + ": " + differences.front().live + " | " +
               differences.front().wanted;
      }
    }
  }
  return {};
}

class EmptyStructTest : public WaysOfServing {
 protected:
  // `with` makes the decision for that value of the field; nullopt means absent.
  void Compare(const WalkedField& walked, const std::function<Decision(const std::optional<Value>&)>& with) {
    const Decision absent = with(std::nullopt);
    EXPECT_FALSE(absent.failure.has_value()) << walked.path << ": " << absent.failure->Explain();
    EXPECT_EQ(Differences(absent, with(Value())), "") << walked.path << ": null";
    if (CountsWhenEmpty(walked)) return;
    const bool is_list = walked.field().shape == FieldShape::kList;
    EXPECT_EQ(Differences(absent, with(is_list ? Value::List() : Value::Map())), "") << walked.path << ": empty";
    ++structs_;
  }
  // True for scalars and required fields.
  static bool IsNoCase(const WalkedField& walked) {
    const model::Definition* const owner =
        walked.fields.size() < 2 ? nullptr : walked.fields[walked.fields.size() - 2].object;
    const std::string_view name = walked.field().name;
    return IsScalar(walked.field()) || name == "predictor" || name == "model" || name == "containers" ||
           (owner != nullptr && RequiredOf(owner->name).Find(name) != nullptr);
  }

  int structs_ = 0;
};

void Set(Value& owner, std::string_view name, const std::optional<Value>& value) {
  if (value.has_value()) {
    owner.Set(name, *value);
  } else {
    owner.Remove(name);
  }
}

TEST_P(EmptyStructTest, OfAServiceIsAnAbsentOne) {
  const Value runtime = Yaml(kFirst);
  for (const WalkedField& walked : model::WalkFields("InferenceService")) {
    const bool is_another_framework = walked.fields.size() > 1 && walked.fields[1].object != nullptr &&
                                      walked.fields[1].object->name == "PredictorExtensionSpec" &&
                                      walked.fields[1].name != "onnx";
    if (IsNoCase(walked) || is_another_framework) continue;
    Value service = Service();
    Complete(service.MapAt("spec"), walked);
    Value& owner = OwnerOfField(service.MapAt("spec"), walked);
    owner.Remove(walked.field().name);
    Implement(service.MapAt("spec"));
    Compare(walked, [&](const std::optional<Value>& value) {
      Value changed = service;
      Set(OwnerOfField(changed.MapAt("spec"), walked), walked.field().name, value);
      return Make(changed, runtime, {});
    });
  }
  EXPECT_GT(structs_, 100);
}

TEST_P(EmptyStructTest, OfARuntimeIsAnAbsentOne) {
  Value service = Service();
  service.MapAt("spec").Set(
      "predictor",
      Yaml("{model: {modelFormat: {name: onnx, version: '1'}, protocolVersion: v1, storageUri: 's3://m'}}"));
  for (const WalkedField& walked : model::WalkFields("ClusterServingRuntime")) {
    // Without these fields, another runtime would be chosen.
    const bool selects = walked.path.starts_with("supportedModelFormats") || walked.path == "protocolVersions";
    if (IsNoCase(walked) || selects) continue;
    Value runtime = Yaml(kFirst);
    Complete(runtime.MapAt("spec"), walked);
    Compare(walked, [&](const std::optional<Value>& value) {
      Value changed = runtime;
      Set(OwnerOfField(changed.MapAt("spec"), walked), walked.field().name, value);
      return Make(service, changed, {});
    });
  }
  EXPECT_GT(structs_, 20);
}

INSTANTIATE_TEST_SUITE_P(Ways, EmptyStructTest, testing::Values(Way::kRaw, Way::kKnative),
                         [](const auto& way) { return way.param == Way::kRaw ? "Raw" : "Knative"; });

}  // namespace
}  // namespace inferd::cluster
