#pragma once

#include <string_view>

#include "base/status.h"
#include "core/model/catalog.h"

// Requests about the server itself. `serving`: not OK if it is about to end.

namespace inferd::trtis {

// Whether it is "live", or "ready". UNKNOWN: there is no such mode.
base::Result<bool> CheckHealth(base::Status serving, std::string_view mode, const core::Catalog& catalog);

// Never OK: UNIMPLEMENTED, profiling is not served; INVALID_ARGUMENT: neither is "start" nor "stop" meant.
base::Status CheckProfile(base::Status serving, std::string_view command);

}  // namespace inferd::trtis
