#pragma once

#include "clustergateway/scaling/scale_writer.h"
#include "kubernetes/client/client.h"

namespace inferd::clustergateway {

// Writes orders by the Deployment's subresource `scale`. The client outlives it.
ScaleWriter::Write ScaleDeployments(kubernetes::Client& client);

}  // namespace inferd::clustergateway
