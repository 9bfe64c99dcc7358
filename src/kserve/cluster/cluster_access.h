#pragma once

#include <string>

#include "base/status.h"
#include "kserve/cluster/cluster_options.h"
#include "kserve/kubernetes/access/cluster_access.h"
#include "kserve/kubernetes/client/sender.h"

namespace inferd::cluster {

// How the options have the cluster reached. FindClusterAccess's errors. Thread-safe, as are the others.
base::Result<kubernetes::ClusterAccess> FindAccess(const ClusterOptions& options);

// The namespace that is the controller's own.
std::string ControllerNamespace(const ClusterOptions& options);

// How it sends its requests: a burst is what some dozens of services take to be made; when it is too much, the server
// says so (429).
kubernetes::SenderOptions SendingOptions();

}  // namespace inferd::cluster
