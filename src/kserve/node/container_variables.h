#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "data/manifest/fields.h"
#include "data/manifest/value.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/node/pod_data.h"

namespace inferd::node {

// What a container's variables may refer to.
struct VariableSources {
  const model::ResolvedPod& pod;
  std::string pod_name;
  FindData find;  // null: there are no such objects
};

// The variables of a container (Kubernetes: `envFrom`, then `env`, each seeing those before it). A value is text with
// $(NAME), or comes from elsewhere:
//
// - secretKeyRef, configMapKeyRef, and envFrom's secretRef and configMapRef, all of which may be optional;
// - fieldRef: metadata.name, .namespace, .labels['KEY'] and .annotations['KEY'], spec.nodeName and .serviceAccountName,
//   status.hostIP, .podIP and their plurals;
// - resourceFieldRef: requests and limits of cpu and memory; without a limit, what the machine has.
//
// NOT_FOUND: an object or a key is not there. INVALID_ARGUMENT, with the field: what is not known here, or no value of
// a variable. Thread-safe.
base::Result<manifest::StringMap> ContainerVariables(const manifest::Value& container, const VariableSources& sources);

// $(NAME) by what is known; what is not stays as it is, and $$ is $ (Kubernetes: expansion). Thread-safe.
std::string ExpandVariables(std::string_view text, const manifest::StringMap& variables);

}  // namespace inferd::node
