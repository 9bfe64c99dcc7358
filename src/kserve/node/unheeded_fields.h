#pragma once

#include <string>
#include <vector>

#include "kserve/model/pods/pod_resolution.h"

namespace inferd::node {

// Returns the fields of a pod that have an effect in a cluster but not for a process of this machine:
// "spec.initContainers", "spec.containers[0].livenessProbe". Leaves out fields that only concern images, names and the
// placement of pods. Also leaves out limits (see ResourceKeeper::Report), and a security context that only gives up
// rights on a node. Thread-safe.
std::vector<std::string> UnheededFields(const model::ResolvedPod& pod);

}  // namespace inferd::node
