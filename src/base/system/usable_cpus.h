#pragma once

#include "base/system/control_groups.h"

namespace inferd::base {

// The CPUs that this process can keep busy: those that the calling thread may run on, or fewer where the process's
// control group, or one above it, has a quota (version 2: cpu.max, version 1: cpu.cfs_quota_us; a container's limit of
// CPUs), rounded up. At least 1. Reads files with each call; thread-safe.
int UsableCpus(const ControlGroups& groups = {});

}  // namespace inferd::base
