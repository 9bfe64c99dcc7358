#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/manifest/value_path.h"
#include "kserve/model/pods/pod_resolution.h"

namespace inferd::model {

using manifest::Text;
inline manifest::Value Number(int64_t number) { return manifest::Value::Int(number); }

// Default ports of the server, and of the agent in front of it (KServe 0.10).
inline constexpr int64_t kContainerPort = 8080;
inline constexpr int64_t kAgentPort = 9081;

// Returns the list with that key, and creates it if missing.
std::vector<manifest::Value>& ListOf(manifest::Value& map, std::string_view key);

// Returns the item with that name in the list under `key`. Null if there is none.
manifest::Value* FindNamed(manifest::Value& map, std::string_view key, std::string_view name);

// Returns true if the container has the argument, as "--name" or "--name=value".
bool HasArgument(const manifest::Value& container, std::string_view name);

// Starts a pod with the object's labels and annotations, without those that pods do not get.
ResolvedPod BeginPod(const ObjectMeta& metadata, const ComponentExtension& extension);
// Starts a component's pod, with the labels that every component has.
ResolvedPod BeginPod(const InferenceService& service, ComponentKind kind, const ComponentExtension& extension);

// Adds the annotations for the agent, such as the ConfigMap of the models, if the predictor serves TrainedModels.
void AnnotateMultiModel(const InferenceService& service, StringMap& annotations);

// Adds the annotations for the storage initializer: where the model comes from.
void AnnotateStorage(const std::optional<std::string>& storage_uri, const std::optional<StorageSpec>& storage,
                     StringMap& annotations);

// Does the same for a custom component, whose container gives the URI in its variable STORAGE_URI.
void AnnotateCustomStorage(const manifest::Value& container, StringMap& annotations);

// Returns the predictor's address within the cluster: "digits-predictor-default.models".
std::string PredictorHost(const InferenceService& service);

}  // namespace inferd::model
