#pragma once

#include "config/options/event_options.h"
#include "protocols/rest/options.h"

namespace inferd::kserve_v1 {

// Which requests of the paths that TensorFlow Serving's REST has too are this front-end's, of models that do not say.
struct Share {
  bool status = false;       // GET /v1/models and /v1/models/M
  bool predictions = false;  // POST /v1/models/M:predict
  bool events = true;        // the same, if they are CloudEvents
  bool own = true;           // what only KServe's servers have: :explain, and GET /
};

// How this front-end answers. Set before the server starts; immutable and shared by every loop's handler afterwards.
struct Options : rest::Options {
  Share share;
  config::EventOptions events;
};

}  // namespace inferd::kserve_v1
