#pragma once

#include "kserve/clustergateway/scaling/scale_writer.h"
#include "kserve/kubernetes/client/client.h"

namespace inferd::clustergateway {

// Writes orders by the Deployment's subresource `scale`. The client outlives it.
ScaleWriter::Write ScaleDeployments(kubernetes::Client& client);

}  // namespace inferd::clustergateway
