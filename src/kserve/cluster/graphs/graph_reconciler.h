#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/logging.h"
#include "kserve/cluster/graphs/graph_decision.h"
#include "kserve/cluster/graphs/graph_reporter.h"
#include "kserve/cluster/graphs/graph_view.h"
#include "kserve/cluster/guard/change_guard.h"
#include "kserve/cluster/objects/cluster_view.h"
#include "kserve/cluster/objects/object_writer.h"
#include "kserve/cluster/objects/status_writer.h"
#include "kserve/cluster/queue/outcome.h"
#include "kserve/cluster/services/planned_changes.h"

namespace inferd::cluster {

// Reconciles one InferenceGraph, as ServiceReconciler does a service. A graph keeps its objects if no decision is
// possible, for example because a service is missing. The reconciler has no memory: all its inputs are in the cluster.
// Thread-safe for different graphs; calls block.
class GraphReconciler final {
 public:
  // All references must outlive the reconciler. `cluster` provides the services.
  GraphReconciler(const GraphView& graphs, const ClusterView& cluster, ChangeGuard& guard, ObjectWriter& writer,
                  StatusWriter& statuses, base::Logger& logger)
      : graphs_(graphs), cluster_(cluster), guard_(guard), writer_(writer), reporter_(statuses), logger_(logger) {}

  Outcome Reconcile(const kubernetes::ObjectName& name, const std::stop_token& stop);

  // Returns the inputs of a decision, except the services.
  DecisionInputs InputsOf(const manifest::Value& document) const;
  GraphDecision DecideAbout(const manifest::Value& document, const std::vector<LabelledObject>& there) const;

 private:
  const GraphView& graphs_;
  const ClusterView& cluster_;
  ChangeGuard& guard_;
  ObjectWriter& writer_;
  GraphReporter reporter_;
  base::Logger& logger_;
};

// Computes what a controller would do with a graph (PlanSet). The graph is live, or comes from a file and may replace a
// live one. Returns the client's errors.
kubernetes::ApiResult<std::vector<std::string>> PlanGraph(const manifest::Value& graph, const GraphView& graphs,
                                                          const GraphReconciler& reconciler, kubernetes::Client& client,
                                                          Forecast& forecast, const std::stop_token& stop);

}  // namespace inferd::cluster
