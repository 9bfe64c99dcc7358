#pragma once

#include "base/status.h"
#include "config/personality.h"

namespace inferd::config {

// Reads --trace-config, and the older flags for some of its settings. INVALID_ARGUMENT names the setting.
base::Status CombineTraces(const GivenFlags& given, CombinedFlags& combined);

}  // namespace inferd::config
