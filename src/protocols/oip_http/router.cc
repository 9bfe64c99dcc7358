#include "protocols/oip_http/router.h"

#include <utility>

namespace inferd::oip_http {

namespace {

using Segments = std::span<const std::string_view>;

constexpr std::string_view kGet = "GET, HEAD";
constexpr std::string_view kPost = "POST";
constexpr std::string_view kGetPost = "GET, HEAD, POST";

RouteResult At(Endpoint endpoint, std::string_view allow, Route route = {}) {
  route.endpoint = endpoint;
  return {.route = route, .allow = allow};
}

bool IsTraceSetting(Segments rest) { return rest.size() == 2 && rest[0] == "trace" && rest[1] == "setting"; }

// Routes the segments after v2/models.
RouteResult ModelRoute(Segments rest) {
  if (rest.empty()) return At(Endpoint::kModelNames, kGet);
  if (rest.size() == 1 && rest[0] == "stats") return At(Endpoint::kModelStatistics, kGet);
  Route route{.model = rest[0]};
  rest = rest.subspan(1);
  if (rest.size() >= 2 && rest[0] == "versions") {
    if (rest[1].empty()) return {};
    route.version = rest[1];
    rest = rest.subspan(2);
  }
  if (!route.model.empty() && route.version.empty() && IsTraceSetting(rest)) {
    return At(Endpoint::kTraceSetting, kGetPost, route);
  }
  if (route.model.empty() || rest.size() > 1) return {};
  if (rest.empty()) return At(Endpoint::kModelMetadata, kGet, route);
  if (rest[0] == "infer") return At(Endpoint::kInfer, kPost, route);
  if (rest[0] == "generate") return At(Endpoint::kGenerate, kPost, route);
  if (rest[0] == "generate_stream") return At(Endpoint::kGenerateStream, kPost, route);
  if (rest[0] == "ready") return At(Endpoint::kModelReady, kGet, route);
  if (rest[0] == "config") return At(Endpoint::kModelConfig, kGet, route);
  if (rest[0] == "stats") return At(Endpoint::kModelStatistics, kGet, route);
  if (rest[0] == "scheduler") return At(Endpoint::kModelScheduler, kGet, route);
  return {};
}

// Routes the segments after v2/repository: [R/]index, [R/]models/M/load, [R/]models/M/unload.
RouteResult RepositoryRoute(Segments rest) {
  Route route;
  if (rest.size() == 2 || rest.size() == 4) {
    if (rest[0].empty()) return {};
    route.repository = rest[0];
    rest = rest.subspan(1);
  }
  if (rest.size() == 1 && rest[0] == "index") return At(Endpoint::kRepositoryIndex, kPost, route);
  if (rest.size() != 3 || rest[0] != "models") return {};
  // An empty model name is the call's own error (400), not an unknown path.
  route.model = rest[1];
  if (rest[2] == "load") return At(Endpoint::kModelLoad, kPost, route);
  if (rest[2] == "unload") return At(Endpoint::kModelUnload, kPost, route);
  return {};
}

// Routes the segments after v2/systemsharedmemory: [region/N/]status, [region/N/]unregister, [region/N/]register. The
// last reports a missing name itself.
RouteResult RegionRoute(Segments rest, bool cuda) {
  Route route{.cuda = cuda};
  if (rest.size() == 3 && rest[0] == "region") {
    if (rest[1].empty()) return {};
    route.region = rest[1];
    rest = rest.subspan(2);
  }
  if (rest.size() != 1) return {};
  if (rest[0] == "status") return At(Endpoint::kRegionStatus, kGet, route);
  if (rest[0] == "register") return At(Endpoint::kRegionRegister, kPost, route);
  if (rest[0] == "unregister") return At(Endpoint::kRegionUnregister, kPost, route);
  return {};
}

RouteResult PathRoute(Segments segments) {
  if (segments.empty()) return {};
  if (segments.size() == 1 && segments[0] == "metrics") return At(Endpoint::kMetrics, kGet);
  if (segments[0] != "v2") return {};
  const Segments rest = segments.subspan(1);
  // The Open Inference Protocol's OpenAPI file has the metadata path with a trailing slash.
  if (rest.empty() || (rest.size() == 1 && rest[0].empty())) return At(Endpoint::kServerMetadata, kGet);
  if (rest[0] == "models") return ModelRoute(rest.subspan(1));
  if (rest[0] == "repository") return RepositoryRoute(rest.subspan(1));
  if (rest[0] == "systemsharedmemory") return RegionRoute(rest.subspan(1), false);
  if (rest[0] == "cudasharedmemory") return RegionRoute(rest.subspan(1), true);
  if (rest.size() == 1 && rest[0] == "logging") return At(Endpoint::kLogging, kGetPost);
  if (IsTraceSetting(rest)) return At(Endpoint::kTraceSetting, kGetPost);
  if (rest.size() == 2 && rest[0] == "health") {
    if (rest[1] == "live") return At(Endpoint::kServerLive, kGet);
    if (rest[1] == "ready") return At(Endpoint::kServerReady, kGet);
  }
  return {};
}

}  // namespace

access::Group GroupOf(Endpoint endpoint) {
  switch (endpoint) {
    case Endpoint::kServerLive:
    case Endpoint::kServerReady:
    case Endpoint::kModelReady: return access::Group::kHealth;
    case Endpoint::kServerMetadata:
    case Endpoint::kModelNames:
    case Endpoint::kModelMetadata: return access::Group::kMetadata;
    case Endpoint::kModelConfig: return access::Group::kModelConfig;
    case Endpoint::kModelStatistics:
    case Endpoint::kModelScheduler: return access::Group::kStatistics;
    case Endpoint::kInfer:
    case Endpoint::kGenerate:
    case Endpoint::kGenerateStream: return access::Group::kInference;
    case Endpoint::kRepositoryIndex:
    case Endpoint::kModelLoad:
    case Endpoint::kModelUnload: return access::Group::kModelRepository;
    case Endpoint::kRegionStatus:
    case Endpoint::kRegionRegister:
    case Endpoint::kRegionUnregister: return access::Group::kSharedMemory;
    case Endpoint::kLogging: return access::Group::kLogging;
    case Endpoint::kTraceSetting: return access::Group::kTrace;
    case Endpoint::kMetrics: return access::Group::kMetrics;
  }
  std::unreachable();
}

std::optional<access::ControlCall> ControlOf(Endpoint endpoint, net::Method method) {
  using access::ControlCall;
  switch (endpoint) {
    case Endpoint::kModelLoad:
    case Endpoint::kModelUnload: return ControlCall::kByName;
    case Endpoint::kRegionRegister:
    case Endpoint::kRegionUnregister: return ControlCall::kOther;
    case Endpoint::kLogging:
    case Endpoint::kTraceSetting:
      return method == net::Method::kPost ? std::optional(ControlCall::kOther) : std::nullopt;
    default: return std::nullopt;
  }
}

RouteResult FindRoute(net::Method method, Segments segments) {
  RouteResult result = PathRoute(segments);
  switch (method) {
    case net::Method::kGet:
    case net::Method::kHead: result.found = result.allow == kGet || result.allow == kGetPost; break;
    case net::Method::kPost: result.found = result.allow == kPost || result.allow == kGetPost; break;
    default: break;
  }
  return result;
}

}  // namespace inferd::oip_http
