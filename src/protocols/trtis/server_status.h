#pragma once

#include <string_view>

#include "base/status.h"
#include "protocols/trtis/server_state.h"
#include "serving/core/model/catalog.h"
#include "trtis/server_status.pb.h"

namespace inferd::trtis {

// What a status is made from; all outlives the call.
struct StatusSources {
  const core::Catalog& catalog;
  const ServerState& state;
};

// The server's status, with that of one model, or of all if `model` is empty, those whose folders went among them.
// Reads files of models that are not ready: not on a loop. NOT_FOUND: there is no such model; `status` has the rest
// then.
base::Status MakeServerStatus(const StatusSources& sources, std::string_view model,
                              nvidia::inferenceserver::ServerStatus& status);

}  // namespace inferd::trtis
