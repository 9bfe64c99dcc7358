#pragma once

#include "protocols/rest/options.h"
#include "protocols/trtis/server_state.h"

namespace inferd::trtis_http {

// How this front-end answers. Set before the server starts; immutable and shared by every loop's handler afterwards.
struct Options : rest::Options {
  trtis::ServerState* state = nullptr;  // never null; outlives the requests
};

}  // namespace inferd::trtis_http
