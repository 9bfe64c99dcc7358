#pragma once

#include <string_view>

#include "base/status.h"
#include "protocols/trtis/server_state.h"
#include "serving/core/model/catalog.h"
#include "trtis/server_status.pb.h"

namespace inferd::trtis {

// The sources of a status. Everything must outlive the call.
struct StatusSources {
  const core::Catalog& catalog;
  const ServerState& state;
};

// Returns the server's status, with that of one model or, if `model` is empty, of all models, including those whose
// folders were removed. Reads files of models that are not ready: do not call it on a loop. NOT_FOUND if there is no
// such model; then `status` has the rest.
base::Status MakeServerStatus(const StatusSources& sources, std::string_view model,
                              nvidia::inferenceserver::ServerStatus& status);

}  // namespace inferd::trtis
