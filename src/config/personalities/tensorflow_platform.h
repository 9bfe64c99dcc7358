#pragma once

#include "base/status.h"
#include "config/personalities/flag_combination.h"

namespace inferd::config {

// The flags that say how TensorFlow runs, or --platform_config_file in place of them: threads, tags and XLA of
// sessions, which are parameters of the engine here; batching; recorded warm-ups.
base::Status CombineTensorflowPlatform(FlagCombination& flags);

}  // namespace inferd::config
