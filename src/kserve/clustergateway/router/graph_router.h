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
  std::string graph;  // JSON, as ReadRouterGraph takes it
  std::string address = "0.0.0.0";
  uint16_t port = 8080;                 // 0: any free one
  std::vector<std::string> propagated;  // patterns of header fields that go on to the steps (KServe: PROPAGATE_HEADERS)
  std::chrono::milliseconds drain_grace{1'000};
  std::chrono::milliseconds drain_timeout{30'000};
};

// The router of one InferenceGraph, as KServe's container of that name: whatever host and path a request has, it is one
// of the graph; but GET /readyz, /livez and /healthz are the kubelet's.
//
//   Start() -> serving -> Drain() -> destructor
//
// All methods are called by one thread.
class GraphRouter final {
 public:
  // INVALID_ARGUMENT: the graph, or a pattern; ALREADY_EXISTS: the port is in use.
  static base::Result<std::unique_ptr<GraphRouter>> Start(GraphRouterOptions options, base::Logger& logger);
  ~GraphRouter();
  GraphRouter(const GraphRouter&) = delete;
  GraphRouter& operator=(const GraphRouter&) = delete;

  uint16_t port() const { return server_.port("http"); }

  // Not ready from now on, but still accepting for the grace time; then answers what has come, within the timeout.
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
