// Each field of InferenceService and ServingRuntime must change the objects of a service or be reported as having no
// effect, in each way of serving. And no other objects may change.

#include "kserve/cluster/services/every_field_fixture.h"

#include <gmock/gmock.h>

#include <set>

#include "data/manifest/print.h"

namespace inferd::cluster {
namespace {

// A decision in parts. Pod templates are separate from the rest of an object, since their changes start pods.
using Parts = std::map<std::string, std::string>;

Parts PartsOf(const Decision& decision) {
  Parts parts;
  for (Value object : decision.desired.objects) {
    const std::string name = TextAt(object, {"kind"}) + " " + TextAt(object, {"metadata", "name"});
    if (Value* const spec = object.Find("spec")) {
      if (const Value* const pods = spec->Find("template")) parts[name + " pods"] = manifest::ToJson(*pods);
      spec->Remove("template");
    }
    parts[name] = manifest::ToJson(object);
  }
  for (const auto& [kind, plan] : decision.plans) {
    for (const auto& target : plan.traffic) {
      parts["shares"] += target.revision + "=" + std::to_string(target.percent) + target.tag + " ";
    }
  }
  // The protocol appears in the status's address.
  if (!decision.desired.pods.empty()) parts["protocol"] = decision.desired.pods.front().protocol_version;
  if (decision.failure.has_value()) parts["failure"] = decision.failure->Explain();
  return parts;
}

// Returns the kinds that differ, for example "Deployment" and "Deployment pods".
std::set<std::string> ChangedKinds(const Parts& before, const Parts& after) {
  std::set<std::string> kinds;
  const auto add = [&](const std::string& name) {
    std::string kind = name.substr(0, name.find(' '));
    if (name.ends_with(" pods")) kind += " pods";
    kinds.insert(std::move(kind));
  };
  for (const auto& [name, text] : before) {
    const auto other = after.find(name);
    if (other == after.end() || other->second != text) add(name);
  }
  for (const auto& [name, text] : after) {
    if (!before.contains(name)) add(name);
  }
  return kinds;
}

// Returns a valid value that differs from the required value.
Value ChangedValue(const WalkedField& walked, Way way) {
  static const std::map<std::string_view, const char*> kValues = {{"autoSelect", "false"},
                                                                  {"canaryTrafficPercent", "10"},
                                                                  {"containerPort", "9002"},
                                                                  {"limits", "{cpu: 3}"},
                                                                  {"livenessProbe", "{exec: {command: [x]}}"},
                                                                  {"startupProbe", "{exec: {command: [x]}}"},
                                                                  {"maxReplicas", "3"},
                                                                  {"minReplicas", "2"},
                                                                  {"mode", "request"},
                                                                  {"priority", "1"},
                                                                  {"requests", "{cpu: 3}"},
                                                                  {"runtime", "two"},
                                                                  {"storageUri", "s3://n"},
                                                                  {"protocolVersion", "grpc-v2"},
                                                                  {"version", "'2'"},
                                                                  {"protocolVersions", "v2"}};
  const Field& field = walked.field();
  Value one = Value::Map({{"name", manifest::Text("changed")}});
  if (const auto value = kValues.find(field.name); value != kValues.end()) {
    one = Yaml(value->second);
  } else if (field.name == "scaleMetric") {
    one = manifest::Text(IsRaw(way) ? "memory" : "rps");
  } else if (field.type == FieldType::kText) {
    one = manifest::Text("changed");
  } else if (field.type == FieldType::kInteger) {
    one = Value::Int(7);
  } else if (field.type == FieldType::kBoolean) {
    one = Value::Bool(true);
  }
  if (field.shape == FieldShape::kList) return Value::List({std::move(one)});
  if (field.shape == FieldShape::kMap) return Value::Map({{"k", std::move(one)}});
  return one;
}

// Returns true if one of the paths is that of the field, or of a parent of it.
bool IsNamed(const std::vector<std::string>& unheeded, const std::string& path) {
  return std::ranges::any_of(unheeded, [&](const std::string& text) {
    const size_t field = text.find("spec.");
    return field != std::string::npos && path.starts_with(text.substr(0, text.find(": ", field)));
  });
}

class EveryFieldTest : public WaysOfServing {
 protected:
  // Returns the kinds that a change of the service affects while the objects of the first state exist, and "named" if
  // the field is reported as having no effect.
  std::set<std::string> Change(const std::pair<Value, Value>& before, const std::pair<Value, Value>& after,
                               const std::string& path) {
    const Made& made = MadeOf(before, path);
    const Decision changed = Make(after.first, after.second, PointersTo(made.deployments));
    EXPECT_FALSE(changed.failure.has_value()) << path << ": " << changed.failure->Explain();
    std::set<std::string> kinds = ChangedKinds(made.parts, PartsOf(changed));
    if (IsNamed(changed.unheeded, path)) kinds.insert("named");
    return kinds;
  }

 private:
  // The state of a service and its runtime when their Deployments run.
  struct Made {
    std::vector<Value> deployments;
    Parts parts;
  };

  static std::vector<const Value*> PointersTo(const std::vector<Value>& objects) {
    std::vector<const Value*> pointers;
    for (const Value& each : objects) pointers.push_back(&each);
    return pointers;
  }

  // Cached per service, since all fields of an object start with the same one.
  const Made& MadeOf(const std::pair<Value, Value>& before, const std::string& path) {
    const auto [place, is_new] = made_.try_emplace(manifest::ToJson(before.first) + manifest::ToJson(before.second));
    Made& made = place->second;
    if (!is_new) return made;
    const Decision first = Make(before.first, before.second, {});
    EXPECT_FALSE(first.failure.has_value()) << path << ": " << first.failure->Explain();
    for (const Value& object : first.desired.objects) {
      if (TextAt(object, {"kind"}) != "Deployment") continue;
      made.deployments.push_back(object);
      made.deployments.back().Set("status", Yaml("{readyReplicas: 1}"));
    }
    made.parts = PartsOf(Make(before.first, before.second, PointersTo(made.deployments)));
    return made;
  }

  std::map<std::string, Made> made_;
};

// Returns the allowed changes of a field that is known. Nullopt for other fields.
std::optional<std::set<std::string>> LeastChange(const WalkedField& walked, Way way) {
  const std::string_view name = walked.field().name;
  const bool of_component = walked.fields.size() == 2;
  if (way == Way::kKnative && of_component && name == "canaryTrafficPercent") return {{"Service"}};
  if (way != Way::kRaw) return std::nullopt;
  static const std::map<std::string_view, std::set<std::string>> kOfComponent = {
      {"minReplicas", {"HorizontalPodAutoscaler"}},
      {"maxReplicas", {"HorizontalPodAutoscaler"}},
      {"scaleTarget", {"HorizontalPodAutoscaler"}},
      {"scaleMetric", {"HorizontalPodAutoscaler"}},
      {"canaryTrafficPercent", {"named"}},
      {"timeout", {"named"}},
      {"deploymentStrategy", {"Deployment"}},
      {"labels", {"Deployment", "Deployment pods", "HorizontalPodAutoscaler", "Service"}},
      {"annotations", {"Deployment", "Deployment pods", "HorizontalPodAutoscaler", "Service"}}};
  const auto found = kOfComponent.find(name);
  if (of_component && found != kOfComponent.end()) return found->second;
  if (of_component && name != "containerConcurrency") return {{"Deployment pods"}};
  const std::string_view definition = walked.fields[walked.fields.size() - 2].object->name;
  if (definition == "VolumeMount" || definition == "EnvVar" || definition == "ResourceRequirements") {
    return {{"Deployment pods"}};
  }
  return std::nullopt;
}

TEST_P(EveryFieldTest, OfAServiceDoesSomethingOrIsNamed) {
  const Value runtime = Yaml(kFirst);
  size_t walked_fields = 0;
  for (const WalkedField& walked : model::WalkFields("InferenceService")) {
    if (walked.field().object != nullptr) continue;
    // One of the older frameworks stands for all, since they have the same definition.
    if (walked.fields[1].object != nullptr && walked.fields[1].object->name == "PredictorExtensionSpec" &&
        walked.fields[1].name != "onnx") {
      continue;
    }
    // Defaults set this name to kserve-container, in the service itself.
    if (walked.path.ends_with(".containers[0].name")) continue;
    Value before = Service();
    Complete(before.MapAt("spec"), walked);
    Implement(before.MapAt("spec"));
    Value after = before;
    OwnerOfField(after.MapAt("spec"), walked).Set(walked.field().name, ChangedValue(walked, GetParam()));
    std::string path = "spec." + walked.path;
    if (const size_t older = path.find("predictor.onnx."); older != std::string::npos)
      path.replace(older, 14, "predictor.model");
    const std::set<std::string> changed = Change({before, runtime}, {after, runtime}, path);
    EXPECT_FALSE(changed.empty()) << walked.path << " is passed over in silence";
    if (const auto least = LeastChange(walked, GetParam())) {
      EXPECT_EQ(changed, *least) << walked.path;
    }
    // Traffic shares must not start pods.
    if (walked.field().name == "canaryTrafficPercent") {
      EXPECT_FALSE(changed.contains("Deployment") || changed.contains("Deployment pods") ||
                   changed.contains("Service pods"))
          << walked.path;
    }
    ++walked_fields;
  }
  EXPECT_GT(walked_fields, 300U);
}

TEST_P(EveryFieldTest, OfARuntimeDoesSomethingOrIsNamed) {
  Value service = Service();
  service.MapAt("spec").Set(
      "predictor",
      Yaml("{model: {modelFormat: {name: onnx, version: '1'}, protocolVersion: v1, storageUri: 's3://m'}}"));
  size_t walked_fields = 0;
  for (const WalkedField& walked : model::WalkFields("ClusterServingRuntime")) {
    if (walked.field().object != nullptr || walked.path == "containers[0].name") continue;
    Value runtime = Yaml(kFirst);
    Complete(runtime.MapAt("spec"), walked);
    Value after = runtime;
    OwnerOfField(after.MapAt("spec"), walked).Set(walked.field().name, ChangedValue(walked, GetParam()));
    const std::string path = "ClusterServingRuntime one: spec." + walked.path;
    EXPECT_FALSE(Change({service, runtime}, {service, after}, path).empty())
        << walked.path << " is passed over in silence";
    ++walked_fields;
  }
  EXPECT_GT(walked_fields, 80U);
}

std::string NameOf(const testing::TestParamInfo<Way>& way) {
  constexpr std::array kNames = {"Raw", "RawByGateway", "Knative", "Gateway"};
  return kNames[static_cast<size_t>(way.param)];
}

INSTANTIATE_TEST_SUITE_P(Ways, EveryFieldTest,
                         testing::Values(Way::kRaw, Way::kRawByGateway, Way::kKnative, Way::kGateway), NameOf);

}  // namespace
}  // namespace inferd::cluster
