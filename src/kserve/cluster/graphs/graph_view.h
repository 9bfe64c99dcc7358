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

// The InferenceGraphs of a cluster and the objects made for them, as last watched. A change queues the graphs that it
// affects. Thread-safe.
class GraphView final {
 public:
  using OnGraph = std::function<void(const kubernetes::ObjectName&)>;

  // `namespaces` are the namespaces to watch; all if empty. `on_graph` queues a graph; it is called on other threads.
  // The client and the logger must outlive the view.
  GraphView(kubernetes::Client& client, std::vector<std::string> namespaces, OnGraph on_graph, base::Logger& logger);
  ~GraphView();
  GraphView(const GraphView&) = delete;
  GraphView& operator=(const GraphView&) = delete;

  // Starts to watch the graphs, and the kinds of their objects that the cluster is known to have. May be called again.
  void Follow(const ClusterView& cluster);
  // Adds the state of the lists.
  void Report(SyncReport& report) const;

  kubernetes::ObjectPointer Find(const kubernetes::ObjectName& name) const;
  std::vector<kubernetes::ObjectPointer> Graphs() const;
  std::vector<LabelledObject> ObjectsOf(const kubernetes::ObjectName& graph) const { return owned_.Of(graph); }

  // Adds the reasons why the known state may be out of date. Called by one thread.
  void AddDoubts(std::vector<Doubt>& doubts) const;
  // True if objects of any graph exist.
  bool has_objects() const { return !owned_.empty(); }
  Evidence EvidenceOf(const kubernetes::Resource& resource, const OwnedObjects::Matches& matches) const {
    return owned_.EvidenceOf(resource, matches);
  }

  // Queues the graphs that name the InferenceService, because it has changed; its address may be new.
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
  OwnedObjects owned_;  // destroyed first
};

}  // namespace inferd::cluster
