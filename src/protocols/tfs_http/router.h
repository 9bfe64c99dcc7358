#pragma once

#include <cstdint>
#include <string_view>

#include "net/http/http.h"
#include "protocols/access/group.h"
#include "protocols/tfs/model_spec.h"

namespace inferd::tfs_http {

// Every endpoint of TensorFlow Serving's REST API.
enum class Endpoint {
  kMalformed,  // none of them
  kModels,     // GET  v1/models
  kStatus,     // GET  v1/models/M[/versions/V|/labels/L]
  kMetadata,   // GET  v1/models/M[/versions/V|/labels/L]/metadata
  kPredict,    // POST v1/models/M[/versions/V|/labels/L]:predict
  kClassify,   // ...:classify
  kRegress,    // ...:regress
  kPreflight,  // OPTIONS v1...
  kMetrics,    // GET  the path of metrics
};

// Returns the access group of an endpoint.
access::Group GroupOf(Endpoint endpoint);

// The route of a request. The views point into the request's head.
struct Route {
  Endpoint endpoint = Endpoint::kMalformed;
  std::string_view model = {};
  std::string_view version = {};  // decimal digits; empty if the server chooses
  std::string_view label = {};    // instead of a version; empty if none
};

// Returns the route's reference to a model.
inline tfs::ModelSpec SpecOf(const Route& route) { return {route.model, route.version, route.label}; }

// Matches TensorFlow Serving's patterns: fixed words in any case, except verbs. Names are percent-decoded after
// matching, so that an escaped ':' or '/' is part of them. No path may have a query. For `metrics_path` see Options.
Route FindRoute(const net::RequestHead& head, std::string_view metrics_path);

// Returns true if a path belongs to this API: its first segment is "v1" in any case, or it is the path of the metrics.
bool IsOurs(const net::RequestHead& head, std::string_view metrics_path);

}  // namespace inferd::tfs_http
