#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/manifest/value_path.h"
#include "kserve/model/pods/pod_resolution.h"

namespace inferd::model {

using manifest::Text;
inline manifest::Value Number(int64_t number) { return manifest::Value::Int(number); }

// Where a server listens that says nothing else, and the agent in front of it (KServe 0.10).
inline constexpr int64_t kContainerPort = 8080;
inline constexpr int64_t kAgentPort = 9081;

// The list of that name, which is made where there is none.
std::vector<manifest::Value>& ListOf(manifest::Value& map, std::string_view key);

// The item of the list of that key that has the name; null: there is none.
manifest::Value* FindNamed(manifest::Value& map, std::string_view key, std::string_view name);

// Whether the container has an argument of that name, as "--name" or "--name=value".
bool HasArgument(const manifest::Value& container, std::string_view name);

// The pods of an object, with its labels and annotations as far as pods have them.
ResolvedPod BeginPod(const ObjectMeta& metadata, const ComponentExtension& extension);
// A component's, with the labels and annotations that every component has.
ResolvedPod BeginPod(const InferenceService& service, ComponentKind kind, const ComponentExtension& extension);

// What is asked of the agent, where the models come and go: which ConfigMap lists them.
void AnnotateMultiModel(const InferenceService& service, StringMap& annotations);

// What is asked of the storage initializer: where the model comes from.
void AnnotateStorage(const std::optional<std::string>& storage_uri, const std::optional<StorageSpec>& storage,
                     StringMap& annotations);

// Likewise, where a custom component's container says it by a variable, STORAGE_URI.
void AnnotateCustomStorage(const manifest::Value& container, StringMap& annotations);

// The predictor's address within the cluster: "digits-predictor-default.models".
std::string PredictorHost(const InferenceService& service);

}  // namespace inferd::model
