#pragma once

#include <string_view>

#include "net/http/http.h"

namespace inferd::trtis_http {

// Every endpoint of the TensorRT Inference Server's API over HTTP.
enum class Endpoint {
  kNone,         // of its paths, and none of them
  kWrongMethod,  // one of them, asked otherwise
  kStatus,       // GET  api/status[/M]
  kInfer,        // POST api/infer/M[/V]
  kProfile,      // GET  api/profile
  kHealth,       // GET  api/health[/live|ready]
};

// Where a request goes. The views point into the request's head.
struct Route {
  Endpoint endpoint = Endpoint::kNone;
  std::string_view model = {};    // empty: all
  std::string_view version = {};  // decimal digits; empty: the latest
  std::string_view word = {};     // of kHealth, its mode; of kProfile, its command
  bool binary = false;            // ?format=binary: messages in the answer are serialized, not text
};

Route FindRoute(const net::RequestHead& head);

// Whether a path is this API's: its first segment is "api", and its second one of the words above begins.
bool IsOurs(const net::RequestHead& head);

}  // namespace inferd::trtis_http
