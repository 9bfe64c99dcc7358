#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "kserve/apiserver/store/stored_object.h"
#include "kserve/gateway/route_table.h"
#include "kserve/local/graph_runner.h"
#include "kserve/local/objects/local_cluster.h"
#include "kserve/local/objects/write_queue.h"

namespace inferd::local {

// The InferenceGraphs that run here: a runner for each one that there is in the cluster, and its status. Not
// thread-safe; the cluster and what `services` refers to outlive it.
class GraphSet final {
 public:
  // At its end, `writes` has none of its own under way or waiting.
  GraphSet(LocalCluster& cluster, RunnerServices services, WriteQueue& writes)
      : cluster_(cluster), services_(std::move(services)), writes_(writes) {}

  // Has runners as the cluster has graphs. True: UpdateRoutes may find others than before.
  bool Follow(const LocalCluster::Changes& changes);
  // Of all graphs, as the services are now.
  void UpdateRoutes(gateway::RouteTable& table, const FindServiceUrl& find);
  // Has the statuses that have changed written soon, and events about them.
  void Write();

 private:
  struct Entry {
    GraphRunner runner;
    std::optional<model::GraphState> written = std::nullopt;
  };

  void FollowOne(const apiserver::ObjectKey& key);
  bool WriteOne(const apiserver::ObjectKey& key, const model::GraphState& state);

  LocalCluster& cluster_;
  const RunnerServices services_;
  WriteQueue& writes_;
  std::map<apiserver::ObjectKey, Entry> entries_;
  std::set<std::string> owners_;  // of routes, as the table knows them
};

}  // namespace inferd::local
