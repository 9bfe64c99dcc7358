#pragma once

#include <map>

#include "controller/cluster/local_cluster.h"
#include "controller/graph_runner.h"
#include "gateway/route_table.h"
#include "objectstore/stored_object.h"

namespace inferd::controller {

// The InferenceGraphs that run here: a runner for each one that there is in the cluster. Not thread-safe; the cluster
// and what `services` refers to outlive it.
class GraphSet final {
 public:
  GraphSet(LocalCluster& cluster, RunnerServices services) : cluster_(cluster), services_(std::move(services)) {}

  // Has runners as the cluster has graphs. True: AddRoutes may add others than before.
  bool Follow(const LocalCluster::Changes& changes);
  void AddRoutes(gateway::RouteTable& table, const FindServiceUrl& find);

 private:
  void FollowOne(const objectstore::ObjectKey& key);

  LocalCluster& cluster_;
  const RunnerServices services_;
  std::map<objectstore::ObjectKey, GraphRunner> runners_;
};

}  // namespace inferd::controller
