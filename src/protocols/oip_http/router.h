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

// What is restricted together with it.
access::Group GroupOf(Endpoint endpoint);

// In which way a request with that method may change what the server does; nullopt: in none. See
// access::Policy::CheckControl.
std::optional<access::ControlCall> ControlOf(Endpoint endpoint, net::Method method);

// Where a request goes. The views point into the request's segments.
struct Route {
  Endpoint endpoint = Endpoint::kServerMetadata;
  std::string_view model = {};       // empty: none in the path
  std::string_view version = {};     // empty: the server chooses
  std::string_view repository = {};  // empty: any
  std::string_view region = {};      // of clients' shared memory; empty: all
  bool cuda = false;                 // it is on a device
};

struct RouteResult {
  Route route;
  std::string_view allow = {};  // methods of the path, as the Allow header lists them; empty: no such path
  bool found = false;           // path and method fit
};

// Matches decoded path segments exactly; HEAD goes where GET goes. An empty name matches nothing.
RouteResult FindRoute(net::Method method, std::span<const std::string_view> segments);

}  // namespace inferd::oip_http
