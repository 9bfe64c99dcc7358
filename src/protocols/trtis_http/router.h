#pragma once

#include <string_view>

#include "net/http/http.h"

namespace inferd::trtis_http {

// Every endpoint of the TensorRT Inference Server's API over HTTP.
enum class Endpoint {
  kNone,         // one of its paths, but no endpoint
  kWrongMethod,  // an endpoint, but with another method
  kStatus,       // GET  api/status[/M]
  kInfer,        // POST api/infer/M[/V]
  kProfile,      // GET  api/profile
  kHealth,       // GET  api/health[/live|ready]
};

// The route of a request. The views point into the request's head.
struct Route {
  Endpoint endpoint = Endpoint::kNone;
  std::string_view model = {};    // empty for all
  std::string_view version = {};  // decimal digits; empty for the latest
  std::string_view word = {};     // kHealth's mode, or kProfile's command
  bool binary = false;            // ?format=binary: messages in the response are serialized, not text
};

Route FindRoute(const net::RequestHead& head);

// Returns true if a path belongs to this API: its first segment is "api", and its second begins with one of the words
// above.
bool IsOurs(const net::RequestHead& head);

}  // namespace inferd::trtis_http
