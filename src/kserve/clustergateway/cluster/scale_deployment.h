#pragma once

#include "kserve/clustergateway/scaling/scale_writer.h"
#include "kserve/kubernetes/client/client.h"

namespace inferd::clustergateway {

// Returns a function that writes scale orders with the Deployment's subresource `scale`. The client must outlive it.
ScaleWriter::Write ScaleDeployments(kubernetes::Client& client);

}  // namespace inferd::clustergateway
