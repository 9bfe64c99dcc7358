#pragma once

#include <string_view>

#include "data/manifest/fields.h"

// Type checks for parts of Kubernetes' PodSpec and Container. Both stay documents, which are merged and passed on
// unchanged. The fields that this code uses are checked for their types first, so that an error names the field.

namespace inferd::model {

// The name of the container that answers requests (KServe 0.10: constants).
inline constexpr std::string_view kServingContainer = "kserve-container";

// How strictly probes are checked.
// kServer: of the container that answers requests. A probe with nothing but timings asks for a connection to its port.
// kWhole: of the other containers. Only a readiness probe may have nothing but timings.
// kTypes: of Knative's pods, whose probes may leave out the port and the kind of check.
enum class ProbeCheck { kServer, kWhole, kTypes };

// Checks a container's fields: name, image, command, args, env, ports, volumeMounts, resources, probes.
void CheckContainer(manifest::Fields container, ProbeCheck probes = ProbeCheck::kServer);
// Checks the amounts under `resources` of a container, or of an object whose resources a container gets.
void CheckResources(manifest::Fields& container);

// Checks a pod's fields: containers, initContainers, volumes, nodeSelector, tolerations, imagePullSecrets,
// serviceAccountName. The first container is the one that answers requests.
void CheckPodSpec(manifest::Fields pod, ProbeCheck probes = ProbeCheck::kServer);

// Returns the value of a container's environment variable. Empty if the variable is missing or has no literal value.
std::string_view FindEnvironment(const manifest::Value& container, std::string_view name);

}  // namespace inferd::model
