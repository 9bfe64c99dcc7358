#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "data/manifest/fields.h"
#include "data/manifest/value.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/node/pod_data.h"

namespace inferd::node {

// The sources that a container's variables may refer to.
struct VariableSources {
  const model::ResolvedPod& pod;
  std::string pod_name;
  FindData find;  // null if there are no such objects
};

// Returns a container's environment variables (Kubernetes: `envFrom`, then `env`, each seeing those before it). A value
// is text with $(NAME), or comes from a reference:
//
// - secretKeyRef, configMapKeyRef, and envFrom's secretRef and configMapRef, all of which may be optional;
// - fieldRef: metadata.name, .namespace, .labels['KEY'] and .annotations['KEY'], spec.nodeName and .serviceAccountName,
//   status.hostIP, .podIP and their plurals;
// - resourceFieldRef: requests and limits of cpu and memory. Without a limit, the machine's amount.
//
// NOT_FOUND if an object or a key does not exist. INVALID_ARGUMENT, with the field, if a reference is unknown or a
// value cannot be a variable. Thread-safe.
base::Result<manifest::StringMap> ContainerVariables(const manifest::Value& container, const VariableSources& sources);

// Replaces $(NAME) by the variable's value, and $$ by $ (Kubernetes: expansion). Unknown names stay. Thread-safe.
std::string ExpandVariables(std::string_view text, const manifest::StringMap& variables);

}  // namespace inferd::node
