#pragma once

#include "base/logging.h"
#include "kserve/cluster/cluster_options.h"

namespace inferd::cluster {

// What `--cluster --diff` does: prints what a controller would change for the InferenceServices of the files, or for
// those of the cluster where none are given (PlanChanges). Returns the exit status, as kubectl diff has it: 0: nothing
// would change; 1: something would; 2: it is not known, and the log says why.
int RunDiff(ClusterOptions options, base::Logger& logger);

}  // namespace inferd::cluster
