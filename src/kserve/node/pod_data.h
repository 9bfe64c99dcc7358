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

// An object with named values that a pod refers to, of the pod's namespace.
struct DataSource {
  bool secret = false;  // else a ConfigMap
  std::string namespace_name;
  std::string name;
};

// Its values, decoded, by their keys; nullopt: there is no such object. From any thread.
using FindData = std::function<std::optional<manifest::StringMap>(const DataSource& source)>;

// The values of the object. NOT_FOUND, in the kubelet's words: there is none (`optional`: no values then).
base::Result<manifest::StringMap> ReadData(const FindData& find, const DataSource& source, bool optional);

// What a field of the map says; empty: it says nothing, or `map` is null.
std::string TextIn(const manifest::Value* map, std::string_view key);
// Whether what a reference names may be absent.
bool IsOptional(const manifest::Value& reference);

// Where a manifest has a field of a component's serving container: "spec.transformer.containers[0].command"; of an
// explainer that is an image, "spec.explainer.alibi.command"; where a runtime serves a model,
// "spec.predictor.model.command (or that of the runtime NAME)".
std::string FieldOfContainer(const model::ResolvedPod& pod, std::string_view field);

// "secret" or "configmap", as the kubelet's messages have it.
std::string KindWord(const DataSource& source);

}  // namespace inferd::node
