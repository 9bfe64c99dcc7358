#include "kserve/clustergateway/router/graph_router.h"

#include <utility>

#include "kserve/clustergateway/router/health_handler.h"
#include "kserve/clustergateway/router/router_graph.h"
#include "kserve/gateway/graph/graph_service.h"

namespace inferd::clustergateway {

namespace {

net::Limits LimitsOf(const model::InferenceGraph::RouterTimeouts& timeouts) {
  net::Limits limits;
  if (timeouts.server_read.has_value()) {
    limits.header_timeout = limits.body_timeout = std::chrono::seconds(*timeouts.server_read);
  }
  if (timeouts.server_idle.has_value()) limits.idle_timeout = std::chrono::seconds(*timeouts.server_idle);
  return limits;
}

}  // namespace

base::Result<std::unique_ptr<GraphRouter>> GraphRouter::Start(GraphRouterOptions options, base::Logger& logger) {
  INFERD_ASSIGN_OR_RETURN(const model::InferenceGraph graph, ReadRouterGraph(options.graph));
  std::unique_ptr<GraphRouter> router(new GraphRouter(std::move(options), LimitsOf(graph.router_timeouts), logger));
  INFERD_RETURN_IF_ERROR(router->Route(graph));
  INFERD_RETURN_IF_ERROR(router->Listen());
  return router;
}

GraphRouter::GraphRouter(GraphRouterOptions options, const net::Limits& limits, base::Logger& logger)
    : options_(std::move(options)), logger_(logger), server_(loops_, limits, nullptr, logger) {}

GraphRouter::~GraphRouter() {
  server_.Stop();
  loops_.Stop();
}

base::Status GraphRouter::Route(const model::InferenceGraph& graph) {
  INFERD_ASSIGN_OR_RETURN(RouterGraph made, MakeRouterGraph(graph));
  auto service = graph::OptionsOf(graph, options_.propagated);
  if (!service.has_value()) return service.error().WithContext("PROPAGATE_HEADERS");
  gateway::Route route;
  route.service = std::make_shared<graph::GraphService>(std::move(made.plan), *std::move(service));
  auto table = std::make_shared<gateway::RouteTable>();
  table->Add("*", std::move(route));
  gateway_.SetRoutes(std::move(table));
  names_ = std::make_unique<NameResolver>(std::move(made.names), logger_);
  return base::OkStatus();
}

base::Status GraphRouter::Listen() {
  net::ListenerOptions http;
  http.name = "http";
  http.address = options_.address;
  http.port = options_.port;
  http.handlers = [this, make = gateway_.Handlers()](net::Loop& loop) mutable {
    return MakeHealthHandler(ready_, make(loop));
  };
  INFERD_RETURN_IF_ERROR(server_.Listen(std::move(http)));
  logger_.Info("listening", {{"listener", "http"}, {"address", options_.address}, {"port", port()}});
  return base::OkStatus();
}

void GraphRouter::Drain() {
  logger_.Info("draining");
  ready_.store(false, std::memory_order_relaxed);
  server_.Drain(options_.drain_grace, options_.drain_timeout);
}

}  // namespace inferd::clustergateway
