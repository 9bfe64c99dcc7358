#pragma once

#include "base/system/control_groups.h"

namespace inferd::base {

// Returns the number of CPUs that this process can keep busy: those that the calling thread may run on, or fewer if its
// control group or one above it has a quota (version 2: cpu.max, version 1: cpu.cfs_quota_us; a container's CPU limit),
// rounded up. At least 1. Reads files with each call; thread-safe.
int UsableCpus(const ControlGroups& groups = {});

}  // namespace inferd::base
