#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "data/manifest/fields.h"
#include "data/manifest/value.h"
#include "kserve/model/pods/pod_resolution.h"

namespace inferd::node {

// A Secret or ConfigMap that a pod refers to, in the pod's namespace.
struct DataSource {
  bool secret = false;  // if false, a ConfigMap
  std::string namespace_name;
  std::string name;
};

// Returns the object's values, decoded, by key. nullopt if it does not exist. Called on any thread.
using FindData = std::function<std::optional<manifest::StringMap>(const DataSource& source)>;

// Returns the object's values. If it does not exist: no values if `optional`, else NOT_FOUND in the kubelet's words.
base::Result<manifest::StringMap> ReadData(const FindData& find, const DataSource& source, bool optional);

// Returns the text of a field of the map. Empty if the field is missing or `map` is null.
std::string TextIn(const manifest::Value* map, std::string_view key);
// Returns true if the referenced object may be absent.
bool IsOptional(const manifest::Value& reference);

// Returns the manifest path of a field of a component's serving container: "spec.transformer.containers[0].command".
// For an explainer with an image: "spec.explainer.alibi.command". For a model with a runtime:
// "spec.predictor.model.command (or that of the runtime NAME)".
std::string FieldOfContainer(const model::ResolvedPod& pod, std::string_view field);

// Returns "secret" or "configmap", as in the kubelet's messages.
std::string KindWord(const DataSource& source);

}  // namespace inferd::node
