#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controlplane/pods/pod_resolution.h"

namespace inferd::controlplane {

// The list of that name, which is made where there is none.
std::vector<manifest::Value>& ListOf(manifest::Value& map, std::string_view key);

// Whether the container has an argument of that name, as "--name" or "--name=value".
bool HasArgument(const manifest::Value& container, std::string_view name);

// A component's pods with the labels and annotations that every component has.
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

}  // namespace inferd::controlplane
