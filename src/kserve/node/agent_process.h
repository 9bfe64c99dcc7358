#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/status.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/node/process_spec.h"

namespace inferd::node {

// Returns true if KServe would put its agent before the pod's container (the component has a `logger` with a URL, or a
// `batcher`), and the container's program does not do the agent's work itself, as inferd does.
bool WantsAgent(const model::ResolvedPod& pod, const ProcessSpec& spec);

// Returns a process that runs `agent` (the path of inferd-agent) in front of the program. The agent receives requests
// at a port of its own, starts the program, and ends with it. If gRPC calls have another port, they bypass the agent.
// Errors are those of `take_port`.
base::Result<ProcessSpec> BehindAgent(ProcessSpec spec, const model::ResolvedPod& pod, const std::string& agent,
                                      const std::function<base::Result<uint16_t>()>& take_port);

}  // namespace inferd::node
