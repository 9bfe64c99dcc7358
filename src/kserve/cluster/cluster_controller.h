#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/logging.h"
#include "base/metrics/registry.h"
#include "kserve/cluster/admission/webhook_server.h"
#include "kserve/cluster/cluster_options.h"
#include "kserve/cluster/doubt_reporter.h"
#include "kserve/cluster/graphs/graph_reconciler.h"
#include "kserve/cluster/graphs/graph_view.h"
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

// The controller of a cluster, put together: what it follows, what works on it, who leads, where it says how it is.
//
//   Start() -> Run() -> destructor
//
// Its methods are called by one thread.
class ClusterController final {
 public:
  // The logger outlives it. FindClusterAccess's errors.
  static base::Result<std::unique_ptr<ClusterController>> Create(ClusterOptions options, base::Logger& logger);
  ~ClusterController();
  ClusterController(const ClusterController&) = delete;
  ClusterController& operator=(const ClusterController&) = delete;

  // Listens. ALREADY_EXISTS: a port is in use.
  base::Status Start();
  // Until the descriptor has something to be read.
  void Run(int signals);

 private:
  ClusterController(ClusterOptions options, kubernetes::ClusterAccess access, base::Logger& logger);

  base::Status Listen(const char* name, uint16_t port, net::HandlerFactory handlers);
  // Looks for the cluster's features again and again, begins to work when all that is decided by is known, keeps the
  // configuration and tells of doubts.
  void Watch(const std::stop_token& stop);
  void Look(const std::stop_token& stop);
  SyncReport Synced() const;
  bool CanBegin(const SyncReport& report) const;
  // Leaves alone what cannot be listed, and begins to work once it can be told what counts.
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
  ServiceReconciler services_;
  GraphReconciler graphs_;
  std::atomic<bool> working_ = false;
  std::set<std::string> held_;  // namespaces; of the watching thread
  std::shared_ptr<metrics::Gauge> leading_;
  net::LoopGroup loops_;
  net::Server server_;
  std::optional<WebhookServer> webhooks_;  // from `working_` on
  std::optional<ReconcileLoop> loop_;      // of the watching thread until that has ended, as is the next
  std::optional<ReconcileLoop> graph_loop_;
  std::jthread electing_;
  std::jthread watching_;
};

// What `--cluster` does; returns the exit status.
int RunCluster(ClusterOptions options);

}  // namespace inferd::cluster
