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
  std::vector<std::string> namespaces{};  // whose services it serves; empty: all
  std::string own_namespace = "kserve";   // its own: of the Lease, the configuration, and the other gateways
  std::string own_service = "inferd-gateway";
  std::string identity{};           // of this process alone; the name of its pod
  bool pass_control_calls = false;  // of clients, to pods
  std::string address = "0.0.0.0";
  uint16_t port = 8080;            // of requests; 0: any free one
  uint16_t status_port = 8081;     // of /healthz, /readyz, /metrics and /load; likewise
  std::string endpoint_address{};  // in place of all pods' own (ReadyPlaces); empty: theirs
  std::chrono::seconds lease_time{15};
  std::chrono::milliseconds drain_grace{5'000};
  std::chrono::milliseconds drain_timeout{300'000};
};

// The gateway of a cluster without Knative: requests to InferenceServices go to the pods of their revisions, wait while
// there is none, and decide how many there are. Several share the work; the one that leads scales by what all measure.
//
//   Start() -> Run() -> destructor
//
// All methods are called by one thread.
class ClusterGateway final {
 public:
  // INVALID_ARGUMENT, NOT_FOUND: the access; ALREADY_EXISTS: a port is in use. It does not wait for the API server:
  // /readyz says when all is known.
  static base::Result<std::unique_ptr<ClusterGateway>> Start(ClusterGatewayOptions options, base::Logger& logger);
  ~ClusterGateway();
  ClusterGateway(const ClusterGateway&) = delete;
  ClusterGateway& operator=(const ClusterGateway&) = delete;

  // Until `signals`, a signalfd, has one; then answers what has come.
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
