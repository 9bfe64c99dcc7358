#include "clustergateway/router/graph_router.h"

#include <utility>

#include "clustergateway/router/health_handler.h"
#include "clustergateway/router/router_graph.h"
#include "graph/graph_service.h"

namespace inferd::clustergateway {

base::Result<std::unique_ptr<GraphRouter>> GraphRouter::Start(GraphRouterOptions options, base::Logger& logger) {
  std::unique_ptr<GraphRouter> router(new GraphRouter(std::move(options), logger));
  INFERD_RETURN_IF_ERROR(router->Route());
  INFERD_RETURN_IF_ERROR(router->Listen());
  return router;
}

GraphRouter::GraphRouter(GraphRouterOptions options, base::Logger& logger)
    : options_(std::move(options)), logger_(logger), server_(loops_, net::Limits(), nullptr, logger) {}

GraphRouter::~GraphRouter() {
  server_.Stop();
  loops_.Stop();
}

base::Status GraphRouter::Route() {
  INFERD_ASSIGN_OR_RETURN(const controlplane::InferenceGraph graph, ReadRouterGraph(options_.graph));
  INFERD_ASSIGN_OR_RETURN(RouterGraph made, MakeRouterGraph(graph));
  graph::GraphOptions service;
  for (const std::string& pattern : options_.propagated) {
    auto field = base::NamePattern::Create(pattern);
    if (!field.has_value()) return field.error().WithContext("PROPAGATE_HEADERS");
    service.propagated.push_back(*std::move(field));
  }
  if (graph.timeout_s.has_value()) service.timeout = std::chrono::seconds(*graph.timeout_s);
  gateway::Route route;
  route.service = std::make_shared<graph::GraphService>(std::move(made.plan), std::move(service));
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
