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

// What is restricted together with it.
access::Group GroupOf(Endpoint endpoint);

// Where a request goes. The views point into the request's head.
struct Route {
  Endpoint endpoint = Endpoint::kMalformed;
  std::string_view model = {};
  std::string_view version = {};  // decimal digits; empty: the server chooses
  std::string_view label = {};    // instead of a version; empty: none
};

// What it says of a model.
inline tfs::ModelSpec SpecOf(const Route& route) { return {route.model, route.version, route.label}; }

// TensorFlow Serving's patterns: the fixed words match in any case but for the verbs; names are percent-decoded behind
// the match, so that an escaped ':' or '/' is part of them; a query belongs to no path.
// `metrics_path` as in Options.
Route FindRoute(const net::RequestHead& head, std::string_view metrics_path);

// Whether a path is this API's: its first segment is "v1", in any case; or it is that of the metrics.
bool IsOurs(const net::RequestHead& head, std::string_view metrics_path);

}  // namespace inferd::tfs_http
