#pragma once

#include <string>

#include "base/status.h"
#include "kserve/cluster/cluster_options.h"
#include "kserve/kubernetes/access/cluster_access.h"
#include "kserve/kubernetes/client/sender.h"

namespace inferd::cluster {

// Finds the API server and the credentials that the options select. Returns the errors of FindClusterAccess. The
// functions of this file are thread-safe.
base::Result<kubernetes::ClusterAccess> FindAccess(const ClusterOptions& options);

// Returns the namespace of the controller's own objects.
std::string ControllerNamespace(const ClusterOptions& options);

// Returns the limits at which requests are sent. A burst is large enough to create some dozens of services; if it is
// too large for the server, the server answers 429.
kubernetes::SenderOptions SendingOptions();

}  // namespace inferd::cluster
