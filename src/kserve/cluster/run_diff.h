#pragma once

#include "base/logging.h"
#include "kserve/cluster/cluster_options.h"

namespace inferd::cluster {

// Runs `--cluster --diff`. Prints the changes that a controller would make (PlanChanges) for the InferenceServices of
// the files, or for those of the cluster if no file is given. Returns the exit status of kubectl diff: 0 if nothing
// would change, 1 if something would, 2 if that is unknown; the log then says why.
int RunDiff(ClusterOptions options, base::Logger& logger);

}  // namespace inferd::cluster
