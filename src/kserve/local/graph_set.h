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

// The InferenceGraphs of this machine, with a runner for each graph object, and their statuses. Not thread-safe. The
// cluster and the references in `services` must outlive it.
class GraphSet final {
 public:
  // The queue must have finished all writes of this set before it is destroyed.
  GraphSet(LocalCluster& cluster, RunnerServices services, WriteQueue& writes)
      : cluster_(cluster), services_(std::move(services)), writes_(writes) {}

  // Creates and removes runners after the cluster's changes. Returns true if UpdateRoutes must be called.
  bool Follow(const LocalCluster::Changes& changes);
  // Replaces the routes of all graphs, with the services' current URLs.
  void UpdateRoutes(gateway::RouteTable& table, const FindServiceUrl& find);
  // Queues the changed statuses, and events about them.
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
  std::set<std::string> owners_;  // of routes in the table
};

}  // namespace inferd::local
