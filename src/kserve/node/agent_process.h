#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/status.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/node/process_spec.h"

namespace inferd::node {

// Whether KServe would put its agent before the pod's container, and the container's program does not do the same
// itself, as inferd does: the component has a `logger` with a URL, or a `batcher`.
bool WantsAgent(const model::ResolvedPod& pod, const ProcessSpec& spec);

// The process with `agent` (the path of inferd-agent) before it: that takes the requests at a port of its own, starts
// the program, and ends with it. Calls of gRPC pass it, where they have a port of their own, by the side. The errors
// are those of `take_port`.
base::Result<ProcessSpec> BehindAgent(ProcessSpec spec, const model::ResolvedPod& pod, const std::string& agent,
                                      const std::function<base::Result<uint16_t>()>& take_port);

}  // namespace inferd::node
