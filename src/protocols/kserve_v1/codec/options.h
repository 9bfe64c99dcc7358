#pragma once

#include "config/options/event_options.h"
#include "protocols/rest/options.h"

namespace inferd::kserve_v1 {

// The share of the paths common with TensorFlow Serving's REST API that belongs to this front-end, for models that do
// not say.
struct Share {
  bool status = false;       // GET /v1/models and /v1/models/M
  bool predictions = false;  // POST /v1/models/M:predict
  bool events = true;        // likewise, for CloudEvents only
  bool own = true;           // paths that only KServe's servers have: :explain, and GET /
};

// The options of this front-end. Set before the server starts; then immutable and shared by every loop's handler.
struct Options : rest::Options {
  Share share;
  config::EventOptions events;
};

}  // namespace inferd::kserve_v1
