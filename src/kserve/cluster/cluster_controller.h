#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/logging.h"
#include "base/metrics/registry.h"
#include "kserve/cluster/admission/webhook_server.h"
#include "kserve/cluster/cluster_options.h"
#include "kserve/cluster/doubt_reporter.h"
#include "kserve/cluster/graphs/graph_reconciler.h"
#include "kserve/cluster/graphs/graph_view.h"
#include "kserve/cluster/guard/change_guard.h"
#include "kserve/cluster/objects/cluster_view.h"
#include "kserve/cluster/objects/object_writer.h"
#include "kserve/cluster/objects/pod_objects.h"
#include "kserve/cluster/objects/status_writer.h"
#include "kserve/cluster/queue/work_queue.h"
#include "kserve/cluster/reconcile_loop.h"
#include "kserve/cluster/services/service_reconciler.h"
#include "kserve/cluster/services/status_reporter.h"
#include "kserve/kubernetes/client/client.h"
#include "kserve/kubernetes/coordination/leader_election.h"
#include "net/loop_group.h"
#include "net/server.h"

namespace inferd::cluster {

// The controller of a cluster. It owns the watches, the work queues, the reconcile loops, the leader election, and the
// endpoints for health and metrics.
//
//   Start() -> Run() -> destructor
//
// The caller must use one thread for all methods.
class ClusterController final {
 public:
  // Returns the errors of FindClusterAccess. The logger must outlive the controller.
  static base::Result<std::unique_ptr<ClusterController>> Create(ClusterOptions options, base::Logger& logger);
  ~ClusterController();
  ClusterController(const ClusterController&) = delete;
  ClusterController& operator=(const ClusterController&) = delete;

  // Opens the listeners. ALREADY_EXISTS if a port is in use.
  base::Status Start();
  // Blocks until the descriptor `signals` is readable.
  void Run(int signals);

 private:
  ClusterController(ClusterOptions options, kubernetes::ClusterAccess access, base::Logger& logger);

  base::Status Listen(const char* name, uint16_t port, net::HandlerFactory handlers);
  // The loop of the watching thread. It repeats discovery of the cluster's features, begins the work once every input
  // of decisions is known, saves the configuration, and reports doubts.
  void Watch(const std::stop_token& stop);
  void Look(const std::stop_token& stop);
  SyncReport Synced() const;
  // Returns the reasons why the known state may be out of date.
  std::vector<Doubt> Doubts(const SyncReport& report);
  bool CanBegin(const SyncReport& report) const;
  // Suspends work in namespaces that cannot be listed. Begins the work as soon as the configuration is settled.
  void Follow(const SyncReport& report, const std::stop_token& stop);
  void BeginWork();
  void OnLeading(bool leads);
  void OpenWebhooks();
  bool is_ready() const;
  bool leads() const;
  void SetPaused(bool paused);

  const ClusterOptions options_;
  base::Logger& logger_;
  const base::SystemClock clock_;
  metrics::Registry metrics_;
  kubernetes::Client client_;
  kubernetes::Client lease_client_;
  kubernetes::Client review_client_;
  kubernetes::ClusterLease lease_;
  kubernetes::LeaderElection election_;
  WorkQueue queue_;
  WorkQueue graph_queue_;
  GraphView graph_view_;
  ClusterView view_;
  ObjectWriter writer_;
  StatusWriter statuses_;
  DoubtReporter doubts_;
  StatusReporter reporter_;
  ModelReporter models_;
  PodObjects pod_objects_;
  ChangeGuard guard_;
  ChangeGuard graph_guard_;
  ServiceReconciler services_;
  GraphReconciler graphs_;
  std::atomic<bool> working_ = false;
  std::set<std::string> held_;  // suspended namespaces; used by the watching thread only
  std::string lease_trouble_;   // used by the watching thread only
  std::shared_ptr<metrics::Gauge> leading_;
  net::LoopGroup loops_;
  net::Server server_;
  std::optional<WebhookServer> webhooks_;  // set before `working_` becomes true
  std::optional<ReconcileLoop> loop_;      // this and graph_loop_: used by the watching thread until it has ended
  std::optional<ReconcileLoop> graph_loop_;
  std::jthread electing_;
  std::jthread watching_;
};

// Runs `inferd-controller --cluster`. Returns the exit status.
int RunCluster(ClusterOptions options);

}  // namespace inferd::cluster
