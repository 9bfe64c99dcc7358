// Never silence: each field that the definitions of InferenceService and ServingRuntime have changes what is made of a
// service, or is named as one that does nothing, in each way of serving. And no more is changed than must be.

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "data/manifest/print.h"
#include "data/manifest/value_path.h"
#include "kserve/cluster/object_fixture.h"
#include "kserve/cluster/services/decision.h"
#include "kserve/model/objects_fixture.h"
#include "kserve/model/schema/field_walk_fixture.h"

namespace inferd::cluster {
namespace {

using manifest::TextAt;
using manifest::Value;
using model::Field;
using model::FieldShape;
using model::FieldType;
using model::WalkedField;

enum class Way { kRaw, kRawByGateway, kKnative, kGateway };

bool IsRaw(Way way) { return way == Way::kRaw || way == Way::kRawByGateway; }

// What a decision is, in parts: what is in a pod's template apart from all else of an object, since it starts pods.
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
  // It is in the address that the status has.
  if (!decision.desired.pods.empty()) parts["protocol"] = decision.desired.pods.front().protocol_version;
  if (decision.failure.has_value()) parts["failure"] = decision.failure->Explain();
  return parts;
}

// Kinds, "Deployment" and "Deployment pods" for example, of what differs.
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

// The model is served by the first, and by the second where the first is not the one.
constexpr const char* kFirst =
    "metadata: {name: one}\n"
    "spec:\n"
    "  supportedModelFormats: [{name: onnx, version: '1', autoSelect: true, priority: 9}]\n"
    "  protocolVersions: [v1]\n"
    "  containers: [{name: kserve-container, image: 'one:1', env: [{name: E}], ports: [{containerPort: 9000}], "
    "volumeMounts: [{name: v, mountPath: /v}]}]\n";
constexpr const char* kSecond =
    "metadata: {name: two}\n"
    "spec:\n"
    "  supportedModelFormats: [{name: onnx, version: '1', autoSelect: true, priority: 5}, {name: onnx, version: '2', "
    "autoSelect: true}, {name: changed, autoSelect: true}]\n"
    "  containers: [{name: kserve-container, image: 'two:1'}]\n";

// What objects of a definition must have.
Value RequiredOf(std::string_view definition) {
  static const std::map<std::string_view, const char*> kRequired = {
      {"Container", "{name: x, image: x}"},
      {"ContainerPort", "{containerPort: 9000}"},
      {"EnvVar", "{name: A}"},
      {"ExplainerExtensionSpec", "{type: T}"},
      {"LoggerSpec", "{url: 'http://sink', mode: all}"},
      {"ModelFormat", "{name: onnx}"},
      {"ModelSpec", "{modelFormat: {name: onnx}, storageUri: 's3://m'}"},
      {"PredictorExtensionSpec", "{storageUri: 's3://m'}"},
      {"StorageSpec", "{path: p}"},
      {"VolumeMount", "{name: v, mountPath: /v}"}};
  const auto found = kRequired.find(definition);
  return found == kRequired.end() ? Value::Map() : Yaml(found->second);
}

void SetMissing(Value& map, const Value& fields) {
  for (const manifest::Member& member : fields.members()) {
    if (map.Find(member.key) == nullptr) map.Set(member.key, member.value);
  }
}

// Has all that the field is in be valid.
void Complete(Value& spec, const WalkedField& walked) {
  WalkedField at;
  for (const Field& field : walked.fields) {
    at.fields.push_back(field);
    Value& owner = OwnerOfField(spec, at);
    if (at.fields.size() > 1) SetMissing(owner, RequiredOf(at.fields[at.fields.size() - 2].object->name));
    // A model has one place.
    if (field.name == "storage") owner.Remove("storageUri");
  }
}

// Gives each component an implementation.
void Implement(Value& spec) {
  for (manifest::Member& component : spec.members()) {
    const bool implemented = std::ranges::any_of(component.value.members(), [](const manifest::Member& member) {
      constexpr std::string_view kNames[] = {"model", "onnx", "containers", "alibi", "aix", "art"};
      return std::ranges::find(kNames, member.key) != std::end(kNames);
    });
    if (implemented) continue;
    const bool predictor = component.key == "predictor";
    SetMissing(component.value, Yaml(predictor ? "{model: {modelFormat: {name: onnx}, storageUri: 's3://m'}}"
                                               : "{containers: [{name: x, image: x}]}"));
  }
}

// A value that is valid, and another than what the objects around it must have.
Value ChangedValue(const WalkedField& walked, Way way) {
  static const std::map<std::string_view, const char*> kValues = {
      {"autoSelect", "false"},   {"canaryTrafficPercent", "10"},
      {"containerPort", "9002"}, {"limits", "{cpu: 3}"},
      {"maxReplicas", "3"},      {"minReplicas", "2"},
      {"mode", "request"},       {"priority", "1"},
      {"requests", "{cpu: 3}"},  {"runtime", "two"},
      {"storageUri", "s3://n"},  {"protocolVersion", "grpc-v2"},
      {"version", "'2'"},        {"protocolVersions", "v2"}};
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

std::optional<Value> FindPodObject(std::string_view kind, std::string_view name) {
  if (kind != "Secret" || name != "storage-config") return std::nullopt;
  constexpr const char* kStore = "eyJ0eXBlIjogInMzIiwgImJ1Y2tldCI6ICJiIn0=";  // {"type": "s3", "bucket": "b"}
  return Yaml("{metadata: {name: storage-config}, data: {default: " + std::string(kStore) + ", changed: " + kStore +
              "}}");
}

// Whether one of them is of the field, or of one that it is in.
bool IsNamed(const std::vector<std::string>& unheeded, const std::string& path) {
  return std::ranges::any_of(unheeded, [&](const std::string& text) {
    const size_t field = text.find("spec.");
    return field != std::string::npos && path.starts_with(text.substr(0, text.find(": ", field)));
  });
}

class EveryFieldTest : public testing::TestWithParam<Way> {
 protected:
  EveryFieldTest() {
    auto& ingress = configuration_.config.ingress;
    ingress.gateway = "g/i";
    ingress.service = "i";
    ingress.local_gateway = "g/l";
    ingress.local_service = "l";
    for (const char* library : {"alibi", "aix", "art"}) {
      configuration_.config.explainers[library] = {.image = "explainer", .default_version = "1"};
    }
  }

  // A service without a spec, whose first revisions are rolled out.
  static Value Service() {
    Value service =
        Yaml("{metadata: {name: digits, namespace: models, uid: u, annotations: {}}, spec: {predictor: {}}}");
    Value& annotations = service.MapAt("metadata").MapAt("annotations");
    if (IsRaw(GetParam())) annotations.Set("serving.kserve.io/deploymentMode", manifest::Text("RawDeployment"));
    if (GetParam() == Way::kRawByGateway) {
      annotations.Set("serving.kserve.io/enable-tag-routing", manifest::Text("true"));
    }
    Value& components = service.MapAt("status").MapAt("components");
    for (const char* kind : {"predictor", "transformer", "explainer"}) {
      const std::string first = "digits-" + std::string(kind) + "-default-00001";
      components.Set(kind, Yaml("{latestReadyRevision: " + first + ", latestRolledoutRevision: " + first + "}"));
    }
    return service;
  }

  Decision Make(const Value& service, const Value& runtime, std::span<const Value* const> deployments) const {
    manifest::Problems problems;
    const auto first = model::ReadServingRuntime(runtime, true, problems);
    static const Value kSecondDocument = Yaml(kSecond);
    const auto second = model::ReadServingRuntime(kSecondDocument, true, problems);
    EXPECT_EQ(model::TextsOf(problems), std::vector<std::string>());
    const bool knative = GetParam() == Way::kKnative;
    const bool gateway = GetParam() == Way::kGateway || GetParam() == Way::kRawByGateway;
    return Decide(service, {.configuration = configuration_,
                            .runtimes = std::array{&first, &second},
                            .models = {},
                            .has_knative = knative,
                            .has_istio = knative,
                            .injection = {.find = FindPodObject},
                            .gateway_host = gateway ? "inferd-gateway.kserve.svc.cluster.local" : "",
                            .deployments = deployments});
  }

  // Of a change from one to the other, while what the one has made is there: the kinds of what changes, and "named" if
  // the field is.
  std::set<std::string> Change(const std::pair<Value, Value>& before, const std::pair<Value, Value>& after,
                               const std::string& path) const {
    const Decision first = Make(before.first, before.second, {});
    EXPECT_FALSE(first.failure.has_value()) << path << ": " << first.failure->Explain();
    std::vector<Value> live;
    for (const Value& object : first.desired.objects) {
      if (TextAt(object, {"kind"}) != "Deployment") continue;
      live.push_back(object);
      live.back().Set("status", Yaml("{readyReplicas: 1}"));
    }
    std::vector<const Value*> deployments;
    for (const Value& each : live) deployments.push_back(&each);
    const Decision base = Make(before.first, before.second, deployments);
    const Decision changed = Make(after.first, after.second, deployments);
    EXPECT_FALSE(changed.failure.has_value()) << path << ": " << changed.failure->Explain();
    std::set<std::string> kinds = ChangedKinds(PartsOf(base), PartsOf(changed));
    if (IsNamed(changed.unheeded, path)) kinds.insert("named");
    return kinds;
  }

  Configuration configuration_;
};

// What may change, of those fields of which it is known; nullopt: it is another.
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
    // One of the older frameworks stands for all, whose definition is the same.
    if (walked.fields[1].object != nullptr && walked.fields[1].object->name == "PredictorExtensionSpec" &&
        walked.fields[1].name != "onnx") {
      continue;
    }
    // Defaults call it kserve-container, in the service itself.
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
    // The shares of requests start no pods.
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
