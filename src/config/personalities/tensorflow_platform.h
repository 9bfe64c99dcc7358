#pragma once

#include "base/status.h"
#include "config/personalities/flag_combination.h"

namespace inferd::config {

// Reads the flags that configure TensorFlow, or --platform_config_file in place of them: threads, tags and XLA of
// sessions, which become parameters of the engine; batching; recorded warm-ups.
base::Status CombineTensorflowPlatform(FlagCombination& flags);

}  // namespace inferd::config
