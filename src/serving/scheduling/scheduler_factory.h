#pragma once

#include "serving/core/scheduler.h"
#include "serving/scheduling/scheduler_options.h"

namespace inferd::scheduling {

// The factory that the repository gets: makes an InstanceScheduler, or says what of the version's configuration cannot
// be had. `services` are captured by value (references inside).
core::SchedulerFactory MakeSchedulerFactory(const SchedulerOptions& options, const SchedulerServices& services);

}  // namespace inferd::scheduling
