#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "data/manifest/value_path.h"
#include "kserve/cluster/object_fixture.h"
#include "kserve/cluster/services/decision.h"
#include "kserve/model/objects_fixture.h"
#include "kserve/model/schema/field_walk_fixture.h"

// Helpers that set any field of the definitions of services and runtimes, and decide about the result.

namespace inferd::cluster {

using manifest::TextAt;
using manifest::Value;
using model::Field;
using model::FieldShape;
using model::FieldType;
using model::WalkedField;

enum class Way { kRaw, kRawByGateway, kKnative, kGateway };

inline bool IsRaw(Way way) { return way == Way::kRaw || way == Way::kRawByGateway; }

// The first runtime serves the model. The second one serves it if the first is not suitable.
inline constexpr const char* kFirst =
    "metadata: {name: one}\n"
    "spec:\n"
    "  supportedModelFormats: [{name: onnx, version: '1', autoSelect: true, priority: 9}]\n"
    "  protocolVersions: [v1]\n"
    "  containers: [{name: kserve-container, image: 'one:1', env: [{name: E}], ports: [{containerPort: 9000}], "
    "volumeMounts: [{name: v, mountPath: /v}]}]\n";
inline constexpr const char* kSecond =
    "metadata: {name: two}\n"
    "spec:\n"
    "  supportedModelFormats: [{name: onnx, version: '1', autoSelect: true, priority: 5}, {name: onnx, version: '2', "
    "autoSelect: true}, {name: changed, autoSelect: true}]\n"
    "  containers: [{name: kserve-container, image: 'two:1'}]\n";

// Returns the required fields of an object of that definition.
inline Value RequiredOf(std::string_view definition) {
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

inline void SetMissing(Value& map, const Value& fields) {
  for (const manifest::Member& member : fields.members()) {
    if (map.Find(member.key) == nullptr) map.Set(member.key, member.value);
  }
}

// Adds the fields that make the objects around the field valid.
inline void Complete(Value& spec, const WalkedField& walked) {
  WalkedField at;
  for (const Field& field : walked.fields) {
    at.fields.push_back(field);
    Value& owner = OwnerOfField(spec, at);
    if (at.fields.size() > 1) SetMissing(owner, RequiredOf(at.fields[at.fields.size() - 2].object->name));
    // A model has either a URI or a storage, not both.
    if (field.name == "storage") owner.Remove("storageUri");
  }
}

// Gives each component an implementation.
inline void Implement(Value& spec) {
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

inline std::optional<Value> FindPodObject(std::string_view kind, std::string_view name) {
  if (kind != "Secret" || name != "storage-config") return std::nullopt;
  constexpr const char* kStore = "eyJ0eXBlIjogInMzIiwgImJ1Y2tldCI6ICJiIn0=";  // {"type": "s3", "bucket": "b"}
  return Yaml("{metadata: {name: storage-config}, data: {default: " + std::string(kStore) + ", changed: " + kStore +
              "}}");
}

class WaysOfServing : public testing::TestWithParam<Way> {
 protected:
  WaysOfServing() {
    auto& ingress = configuration_.config.ingress;
    ingress.gateway = "g/i";
    ingress.service = "i";
    ingress.local_gateway = "g/l";
    ingress.local_service = "l";
    for (const char* library : {"alibi", "aix", "art"}) {
      configuration_.config.explainers[library] = {.image = "explainer", .default_version = "1"};
    }
  }

  // Returns a service without a spec, whose first revisions are rolled out.
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

  Configuration configuration_;
};

}  // namespace inferd::cluster
