#pragma once

#include <string_view>

#include "data/manifest/fields.h"

// Kubernetes: PodSpec and Container stay documents, which are merged and handed on as they are. What is read of them
// here is checked for its type, so that an error names the field before anything is made of it.

namespace inferd::model {

// The name of the container that answers requests (KServe 0.10: constants).
inline constexpr std::string_view kServingContainer = "kserve-container";

// A container's fields: name, image, command, args, env, ports, volumeMounts, resources.
void CheckContainer(manifest::Fields container);
// Of a container, or of what is to have one: its amounts under `resources`.
void CheckResources(manifest::Fields& container);

// A pod's: containers, initContainers, volumes, nodeSelector, tolerations, imagePullSecrets, serviceAccountName.
void CheckPodSpec(manifest::Fields pod);

// The value of a container's variable, where it is given as text; empty: there is none.
std::string_view FindEnvironment(const manifest::Value& container, std::string_view name);

}  // namespace inferd::model
