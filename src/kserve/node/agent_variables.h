#pragma once

#include <string>
#include <vector>

#include "kserve/model/pods/pod_resolution.h"

namespace inferd::node {

// What KServe's agent would do beside a pod, asked of inferd itself: its options, "NAME=VALUE", for the `logger` and
// the `batcher` of a component. Programs that are not inferd have an agent (agent_process.h).
std::vector<std::string> AgentVariables(const model::ResolvedPod& pod);

}  // namespace inferd::node
