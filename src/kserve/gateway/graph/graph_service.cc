#include "kserve/gateway/graph/graph_service.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/ascii_case.h"
#include "kserve/gateway/graph/graph_call.h"

namespace inferd::graph {

namespace {

// Headers that identify the request. They are copied whatever the configuration says.
constexpr std::array<std::string_view, 10> kTraceFields = {
    "X-Request-Id",      "Traceparent",  "Tracestate", "X-B3-TraceId", "X-B3-SpanId",
    "X-B3-ParentSpanId", "X-B3-Sampled", "X-B3-Flags", "B3",           "Ce-Id"};
// Headers about the transfer of the request, and not its content.
constexpr std::array<std::string_view, 4> kOwnFields = {"Host", "Content-Length", "Content-Encoding",
                                                        GraphService::kGraphsField};

bool IsOneOf(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::any_of(names, [name](std::string_view each) { return base::EqualWithoutCase(name, each); });
}

}  // namespace

base::Result<GraphOptions> OptionsOf(const model::InferenceGraph& graph, const std::vector<std::string>& propagated) {
  GraphOptions options;
  for (const std::string& pattern : propagated) {
    INFERD_ASSIGN_OR_RETURN(base::NamePattern field, base::NamePattern::Create(pattern));
    options.propagated.push_back(std::move(field));
  }
  const model::InferenceGraph::RouterTimeouts& router = graph.router_timeouts;
  if (graph.timeout_s.has_value()) options.timeout = std::chrono::seconds(*graph.timeout_s);
  if (router.server_write.has_value()) {
    options.timeout = std::min<std::chrono::milliseconds>(options.timeout, std::chrono::seconds(*router.server_write));
  }
  if (router.service_client.has_value()) options.step_timeout = std::chrono::seconds(*router.service_client);
  return options;
}

GraphService::GraphService(Plan plan, GraphOptions options) : plan_(std::move(plan)), options_(std::move(options)) {}

bool GraphService::Propagates(std::string_view name) const {
  if (IsOneOf(name, kOwnFields)) return false;
  if (IsOneOf(name, kTraceFields)) return true;
  return std::ranges::any_of(options_.propagated,
                             [name](const base::NamePattern& pattern) { return pattern.Matches(name); });
}

std::unique_ptr<gateway::RoutedCall> GraphService::Begin(gateway::CallOwner& owner,
                                                         std::shared_ptr<const gateway::Route> route,
                                                         net::HttpRequest request, net::Reply reply) const {
  return std::make_unique<GraphCall>(*this, owner, std::move(route), std::move(request), std::move(reply));
}

}  // namespace inferd::graph
