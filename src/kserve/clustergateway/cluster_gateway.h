#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/logging.h"
#include "base/metrics/registry.h"
#include "base/status.h"
#include "base/system/wake_event.h"
#include "kserve/clustergateway/cluster/cluster_watch.h"
#include "kserve/clustergateway/cluster/service_table.h"
#include "kserve/clustergateway/load_board.h"
#include "kserve/clustergateway/scaling/peer_loads.h"
#include "kserve/clustergateway/scaling/scale_writer.h"
#include "kserve/gateway/gateway.h"
#include "kserve/kubernetes/coordination/leader_election.h"
#include "net/loop_group.h"
#include "net/server.h"

namespace inferd::clustergateway {

struct ClusterGatewayOptions {
  kubernetes::AccessOptions access{};
  std::vector<std::string> namespaces{};  // to serve; all if empty
  std::string own_namespace = "kserve";   // of the Lease, the configuration, and the other gateways
  std::string own_service = "inferd-gateway";
  std::string identity{};           // unique to this process; the pod's name
  bool pass_control_calls = false;  // pass clients' control calls to pods
  std::string address = "0.0.0.0";
  uint16_t port = 8080;            // for requests; 0 selects a free port
  uint16_t status_port = 8081;     // for /healthz, /readyz, /metrics and /load; 0 selects a free port
  std::string endpoint_address{};  // replaces the pods' addresses (ReadyPlaces) unless empty
  std::chrono::seconds lease_time{15};
  std::chrono::milliseconds drain_grace{5'000};
  std::chrono::milliseconds drain_timeout{300'000};
};

// The gateway of a cluster without Knative. It sends requests for InferenceServices to the pods of their revisions,
// holds requests while there is no pod, and scales the pods by load. Several gateways share the work; the leader scales
// by the load reported by all of them.
//
//   Start() -> Run() -> destructor
//
// The caller must use one thread for all methods.
class ClusterGateway final {
 public:
  // Opens the listeners. It does not wait for the API server: /readyz tells when all objects are known.
  // INVALID_ARGUMENT or NOT_FOUND if there is no usable access; ALREADY_EXISTS if a port is in use.
  static base::Result<std::unique_ptr<ClusterGateway>> Start(ClusterGatewayOptions options, base::Logger& logger);
  ~ClusterGateway();
  ClusterGateway(const ClusterGateway&) = delete;
  ClusterGateway& operator=(const ClusterGateway&) = delete;

  // Blocks until the signalfd `signals` is readable. Then drains: it answers the requests that have arrived.
  void Run(int signals);

 private:
  ClusterGateway(ClusterGatewayOptions options, const kubernetes::ClusterAccess& access, base::Logger& logger);

  base::Status Listen();
  void AddMetrics();
  void Tick();
  void Follow();
  void Measure(model::ScaleTime now);
  void Scale(model::ScaleTime now);
  void Drain();

  const ClusterGatewayOptions options_;
  base::Logger& logger_;
  const base::SystemClock clock_;
  const base::WakeEvent wake_;
  metrics::Registry registry_;
  std::atomic<bool> ready_{false};
  std::atomic<size_t> gateways_{1};
  bool draining_ = false;
  model::ScaleTime measured_{0};
  bool led_ = false;
  LoadBoard board_;
  kubernetes::Client client_;
  kubernetes::Client lease_client_;
  kubernetes::ClusterLease lease_;
  kubernetes::LeaderElection election_;
  ServiceTable table_;
  ScaleWriter writer_;
  PeerLoads peers_;
  gateway::Gateway gateway_{{}};
  net::LoopGroup loops_;
  net::LoopGroup status_loops_{1};
  net::Server server_;
  net::Server status_server_;
  std::unique_ptr<ClusterWatch> watch_;
  std::jthread elections_;
};

}  // namespace inferd::clustergateway
