#pragma once

#include <atomic>
#include <string_view>

#include "base/status.h"
#include "protocols/trtis/server_state.h"
#include "serving/core/model/catalog.h"

// Requests about the server itself. `serving` is the result of CheckServing().

namespace inferd::trtis {

// UNAVAILABLE if the server is about to end.
base::Status CheckServing(const std::atomic<bool>& draining);
// Does the same for inferences. UNAVAILABLE also if the start has failed. A server that is about to end refuses only if
// `state` says so.
base::Status CheckInferring(const ServerState& state, const core::Catalog& catalog, const std::atomic<bool>& draining);

// Returns true if the server is "live" or "ready", as `mode` asks. UNKNOWN for another mode.
base::Result<bool> CheckHealth(base::Status serving, std::string_view mode, const core::Catalog& catalog);

// Never returns OK: UNIMPLEMENTED, as profiling is not supported, or INVALID_ARGUMENT if it is neither "start" nor
// "stop".
base::Status CheckProfile(base::Status serving, std::string_view command);

}  // namespace inferd::trtis
