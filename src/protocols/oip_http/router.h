#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "net/http/http.h"
#include "protocols/access/group.h"
#include "protocols/access/policy.h"

namespace inferd::oip_http {

// Every endpoint of Predict V2 over HTTP and of Triton's extensions that this server answers.
enum class Endpoint {
  kServerMetadata,    // GET  v2
  kServerLive,        // GET  v2/health/live
  kServerReady,       // GET  v2/health/ready
  kModelNames,        // GET  v2/models
  kModelMetadata,     // GET  v2/models/M[/versions/V]
  kModelReady,        // GET  v2/models/M[/versions/V]/ready
  kModelConfig,       // GET  v2/models/M[/versions/V]/config
  kModelStatistics,   // GET  v2/models/M[/versions/V]/stats, v2/models/stats
  kModelScheduler,    // GET  v2/models/M[/versions/V]/scheduler
  kInfer,             // POST v2/models/M[/versions/V]/infer
  kGenerate,          // POST v2/models/M[/versions/V]/generate
  kGenerateStream,    // POST v2/models/M[/versions/V]/generate_stream
  kRepositoryIndex,   // POST v2/repository[/R]/index
  kModelLoad,         // POST v2/repository[/R]/models/M/load
  kModelUnload,       // POST v2/repository[/R]/models/M/unload
  kLogging,           // GET, POST v2/logging
  kTraceSetting,      // GET, POST v2/trace/setting, v2/models/M/trace/setting
  kRegionStatus,      // GET  v2/{system,cuda}sharedmemory[/region/N]/status
  kRegionRegister,    // POST v2/{system,cuda}sharedmemory/region/N/register
  kRegionUnregister,  // POST v2/{system,cuda}sharedmemory[/region/N]/unregister
  kMetrics,           // GET  metrics
};

// Returns the access group of an endpoint.
access::Group GroupOf(Endpoint endpoint);

// Returns how a request with that method may change the server's state, or nullopt if it does not. See
// access::Policy::CheckControl().
std::optional<access::ControlCall> ControlOf(Endpoint endpoint, net::Method method);

// The route of a request. The views point into the request's segments.
struct Route {
  Endpoint endpoint = Endpoint::kServerMetadata;
  std::string_view model = {};       // empty if the path has none
  std::string_view version = {};     // empty if the server chooses
  std::string_view repository = {};  // empty for any
  std::string_view region = {};      // of clients' shared memory; empty for all
  bool cuda = false;                 // true for a region on a device
};

struct RouteResult {
  Route route;
  std::string_view allow = {};  // methods of the path, for the Allow header; empty if there is no such path
  bool found = false;           // true if path and method match
};

// Matches decoded path segments exactly. HEAD is routed like GET. An empty name matches nothing.
RouteResult FindRoute(net::Method method, std::span<const std::string_view> segments);

}  // namespace inferd::oip_http
