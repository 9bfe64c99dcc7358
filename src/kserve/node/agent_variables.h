#pragma once

#include <string>
#include <vector>

#include "kserve/model/pods/pod_resolution.h"

namespace inferd::node {

// Returns the options by which inferd does the work of KServe's agent, as "NAME=VALUE", for the `logger` and the
// `batcher` of a component. Other programs get an agent (agent_process.h).
std::vector<std::string> AgentVariables(const model::ResolvedPod& pod);

}  // namespace inferd::node
