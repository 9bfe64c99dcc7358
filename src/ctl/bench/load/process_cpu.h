#pragma once

#include <cstdint>

#include "base/status.h"

namespace inferd::ctl {

// CPU time that process `pid` and the processes it has started, inferd's workers, have used so far, user and system,
// all threads (proc(5), /proc/PID/stat), in nanoseconds; the kernel counts in ticks, usually of 10 ms. Children that
// have ended do not count. NOT_FOUND if there is no such process.
base::Result<int64_t> ProcessCpuNs(int pid);

}  // namespace inferd::ctl
