#pragma once

#include <cstdint>

#include "base/status.h"

namespace inferd::ctl {

// Returns the CPU time in nanoseconds that process `pid` and its child processes (inferd's workers) have used: user and
// system time of all threads (proc(5), /proc/PID/stat). The kernel's resolution is a tick, usually 10 ms. Children that
// have ended do not count. NOT_FOUND if there is no such process.
base::Result<int64_t> ProcessCpuNs(int pid);

}  // namespace inferd::ctl
