#pragma once

#include "config/model/model_config.h"

namespace inferd::config {

// Whether its configuration asks for responses to be kept: response_cache { enable: true }.
bool WantsResponseCache(const ModelConfig& config);

}  // namespace inferd::config
