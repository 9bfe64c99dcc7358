#pragma once

#include "protocols/rest/options.h"
#include "protocols/trtis/server_state.h"

namespace inferd::trtis_http {

// The options of this front-end. Set before the server starts; then immutable and shared by every loop's handler.
struct Options : rest::Options {
  trtis::ServerState* state = nullptr;  // never null; outlives the requests
};

}  // namespace inferd::trtis_http
