#pragma once

#include <atomic>
#include <string_view>

#include "base/status.h"
#include "protocols/trtis/server_state.h"
#include "serving/core/model/catalog.h"

// Requests about the server itself. `serving`: as CheckServing() has it.

namespace inferd::trtis {

// UNAVAILABLE: the server is about to end.
base::Status CheckServing(const std::atomic<bool>& draining);
// So too, of inferences: UNAVAILABLE also where the start has failed; about to end only where `state` says so.
base::Status CheckInferring(const ServerState& state, const core::Catalog& catalog, const std::atomic<bool>& draining);

// Whether it is "live", or "ready". UNKNOWN: there is no such mode.
base::Result<bool> CheckHealth(base::Status serving, std::string_view mode, const core::Catalog& catalog);

// Never OK: UNIMPLEMENTED, profiling is not served; INVALID_ARGUMENT: neither is "start" nor "stop" meant.
base::Status CheckProfile(base::Status serving, std::string_view command);

}  // namespace inferd::trtis
