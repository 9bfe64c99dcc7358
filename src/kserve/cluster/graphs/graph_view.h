#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/logging.h"
#include "base/mutex.h"
#include "kserve/cluster/graphs/step_index.h"
#include "kserve/cluster/objects/cluster_view.h"
#include "kserve/cluster/objects/followed_resource.h"
#include "kserve/cluster/objects/owned_objects.h"

namespace inferd::cluster {

// The InferenceGraphs of a cluster and what was made for them, as they were last heard of. Whatever changes queues the
// graphs that it matters to. Thread-safe.
class GraphView final {
 public:
  using OnGraph = std::function<void(const kubernetes::ObjectName&)>;

  // `namespaces`: that are looked after; empty: all. `on_graph`: it is to be looked at; called on other threads. The
  // client and the logger outlive it.
  GraphView(kubernetes::Client& client, std::vector<std::string> namespaces, OnGraph on_graph, base::Logger& logger);
  ~GraphView();
  GraphView(const GraphView&) = delete;
  GraphView& operator=(const GraphView&) = delete;

  // Follows the graphs, and the kinds of their objects that the cluster is known to have. May be called again.
  void Follow(const ClusterView& cluster);
  // What has been listed.
  void Report(SyncReport& report) const;

  kubernetes::ObjectPointer Find(const kubernetes::ObjectName& name) const;
  std::vector<kubernetes::ObjectPointer> Graphs() const;
  std::vector<LabelledObject> ObjectsOf(const kubernetes::ObjectName& graph) const { return owned_.Of(graph); }

  // True if something was made for a graph.
  bool has_objects() const { return !owned_.empty(); }
  Evidence EvidenceOf(const kubernetes::Resource& resource, const OwnedObjects::Matches& matches) const {
    return owned_.EvidenceOf(resource, matches);
  }

  // Something of an InferenceService has changed: its address, it may be.
  void OnService(const kubernetes::ObjectName& service) const;
  void QueueAll() const;

 private:
  void OnChange(const kubernetes::ObjectCache::Change& change);

  kubernetes::Client& client_;
  const std::vector<std::string> namespaces_;
  const OnGraph on_graph_;
  base::Logger& logger_;
  StepIndex steps_;
  mutable base::Mutex mutex_;
  std::unique_ptr<FollowedResource> graphs_ GUARDED_BY(mutex_);
  OwnedObjects owned_;  // ends first
};

}  // namespace inferd::cluster
