#pragma once

#include "serving/core/scheduler.h"
#include "serving/scheduling/scheduler_options.h"

namespace inferd::scheduling {

// Returns the factory for the repository. It makes an InstanceScheduler or a SequenceScheduler. It fails, and says why,
// if the version's configuration is not possible. `services` is copied, with references inside.
core::SchedulerFactory MakeSchedulerFactory(const SchedulerOptions& options, const SchedulerServices& services);

}  // namespace inferd::scheduling
