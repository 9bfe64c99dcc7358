#include "server/http/vital_requests.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "frontends/oip_http/router.h"
#include "frontends/tfs_http/router.h"

namespace inferd::server {

namespace {

constexpr std::array<std::string_view, 4> kCalls = {
    "/grpc.health.v1.Health/Check",
    "/inference.GRPCInferenceService/ModelReady",
    "/inference.GRPCInferenceService/ServerLive",
    "/inference.GRPCInferenceService/ServerReady",
};

bool IsVital(const net::RequestHead& head, std::string_view metrics_path) {
  if (head.method == net::Method::kPost) return std::ranges::find(kCalls, head.target) != kCalls.end();
  if (tfs_http::IsOurs(head, metrics_path)) {
    const tfs_http::Endpoint endpoint = tfs_http::FindRoute(head, metrics_path).endpoint;
    return endpoint == tfs_http::Endpoint::kStatus || endpoint == tfs_http::Endpoint::kMetrics;
  }
  const oip_http::RouteResult found = oip_http::FindRoute(head.method, head.segments);
  if (!found.found) return false;
  const access::Group group = oip_http::GroupOf(found.route.endpoint);
  return group == access::Group::kHealth || group == access::Group::kMetrics;
}

}  // namespace

net::VitalRequest VitalRequests(std::string metrics_path) {
  return [metrics_path = std::move(metrics_path)](const net::RequestHead& head) { return IsVital(head, metrics_path); };
}

}  // namespace inferd::server
