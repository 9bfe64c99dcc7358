#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/logging.h"
#include "kserve/cluster/graphs/graph_decision.h"
#include "kserve/cluster/graphs/graph_reporter.h"
#include "kserve/cluster/graphs/graph_view.h"
#include "kserve/cluster/objects/cluster_view.h"
#include "kserve/cluster/objects/object_writer.h"
#include "kserve/cluster/objects/status_writer.h"
#include "kserve/cluster/queue/outcome.h"

namespace inferd::cluster {

// Makes of one InferenceGraph its objects, and of what becomes of them its status, as ServiceReconciler does of a
// service. A graph that cannot be decided about, since a service is missing, for example, keeps its objects. It has no
// memory: all that it goes by is in the cluster. Thread-safe for different graphs; calls block.
class GraphReconciler final {
 public:
  // All outlive it. `cluster`: where the services are.
  GraphReconciler(const GraphView& graphs, const ClusterView& cluster, ObjectWriter& writer, StatusWriter& statuses,
                  base::Logger& logger)
      : graphs_(graphs), cluster_(cluster), writer_(writer), reporter_(statuses), logger_(logger) {}

  Outcome Reconcile(const kubernetes::ObjectName& name, const std::stop_token& stop);

  GraphDecision DecideAbout(const manifest::Value& document, const std::vector<LabelledObject>& there) const;

 private:
  const GraphView& graphs_;
  const ClusterView& cluster_;
  ObjectWriter& writer_;
  GraphReporter reporter_;
  base::Logger& logger_;
};

// What a controller would do with a graph (PlanSet): a live one, or one of a file, which may be in the place of a live
// one. Errors are the client's.
kubernetes::ApiResult<std::vector<std::string>> PlanGraph(const manifest::Value& graph, const GraphView& graphs,
                                                          const GraphReconciler& reconciler, kubernetes::Client& client,
                                                          const std::stop_token& stop);

}  // namespace inferd::cluster
