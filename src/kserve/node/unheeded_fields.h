#pragma once

#include <string>
#include <vector>

#include "kserve/model/pods/pod_resolution.h"

namespace inferd::node {

// The fields of a pod that would do something in a cluster, and nothing as a process of this machine:
// "spec.initContainers", "spec.containers[0].livenessProbe". Those that only say how a cluster is to handle images,
// names and places for pods are left out, and limits, of which ResourceKeeper::Report says more. Thread-safe.
std::vector<std::string> UnheededFields(const model::ResolvedPod& pod);

}  // namespace inferd::node
