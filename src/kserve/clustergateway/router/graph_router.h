#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/logging.h"
#include "base/status.h"
#include "kserve/clustergateway/router/name_resolver.h"
#include "kserve/gateway/gateway.h"
#include "kserve/model/api/inference_graph.h"
#include "net/http/limits.h"
#include "net/loop_group.h"
#include "net/server.h"

namespace inferd::clustergateway {

struct GraphRouterOptions {
  std::string graph;  // JSON, in the format of ReadRouterGraph
  std::string address = "0.0.0.0";
  uint16_t port = 8080;                 // 0 selects a free port
  std::vector<std::string> propagated;  // patterns of headers that are copied to the steps (KServe: PROPAGATE_HEADERS)
  std::chrono::milliseconds drain_grace{1'000};
  std::chrono::milliseconds drain_timeout{30'000};
};

// The router of one InferenceGraph, like KServe's router container. It runs the graph for every request, whatever its
// host and path, except the kubelet's GET /readyz, /livez and /healthz.
//
//   Start() -> serving -> Drain() -> destructor
//
// The caller must use one thread for all methods.
class GraphRouter final {
 public:
  // Opens the listener. INVALID_ARGUMENT if the graph or a pattern is invalid; ALREADY_EXISTS if the port is in use.
  static base::Result<std::unique_ptr<GraphRouter>> Start(GraphRouterOptions options, base::Logger& logger);
  ~GraphRouter();
  GraphRouter(const GraphRouter&) = delete;
  GraphRouter& operator=(const GraphRouter&) = delete;

  uint16_t port() const { return server_.port("http"); }

  // Reports "not ready", but accepts requests for the grace time. Then answers those that have arrived, within the
  // timeout.
  void Drain();

 private:
  GraphRouter(GraphRouterOptions options, const net::Limits& limits, base::Logger& logger);
  base::Status Listen();
  base::Status Route(const model::InferenceGraph& graph);

  const GraphRouterOptions options_;
  base::Logger& logger_;
  std::atomic<bool> ready_{true};
  std::unique_ptr<NameResolver> names_;
  gateway::Gateway gateway_{{}};
  net::LoopGroup loops_;
  net::Server server_;
};

}  // namespace inferd::clustergateway
