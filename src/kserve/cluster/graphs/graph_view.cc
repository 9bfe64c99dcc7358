#include "kserve/cluster/graphs/graph_view.h"

#include <utility>

#include "kserve/cluster/objects/resources.h"
#include "kserve/cluster/objects/trim.h"
#include "kserve/model/api/annotations.h"

namespace inferd::cluster {

using kubernetes::ObjectName;
using kubernetes::ObjectPointer;

GraphView::GraphView(kubernetes::Client& client, std::vector<std::string> namespaces, OnGraph on_graph,
                     base::Logger& logger)
    : client_(client),
      namespaces_(std::move(namespaces)),
      on_graph_(std::move(on_graph)),
      logger_(logger),
      owned_(client, {.label = model::kInferenceGraphLabel, .namespaces = namespaces_, .on_owner = on_graph_}, logger) {
}

GraphView::~GraphView() {
  // The watch's threads call methods of this object until they end, so the lock must be free while they are joined.
  std::unique_ptr<FollowedResource> graphs;
  const base::MutexLock lock(mutex_);
  graphs.swap(graphs_);
}

void GraphView::Follow(const ClusterView& cluster) {
  {
    const base::MutexLock lock(mutex_);
    if (graphs_ == nullptr) {
      graphs_ = std::make_unique<FollowedResource>(
          client_, Following{.resource = InferenceGraphs(), .namespaces = namespaces_, .trim = TrimManagedFields},
          [this](const kubernetes::ObjectCache::Change& change) { OnChange(change); }, logger_);
    }
  }
  owned_.Follow(Pods());
  for (const WrittenResource& written : WrittenResources()) {
    const bool is_made = written.resource != ConfigMaps() && written.resource != VirtualServices();
    if (is_made && cluster.features().Has(written.resource)) owned_.Follow(written.resource);
  }
}

void GraphView::Report(SyncReport& report) const {
  owned_.Report(report);
  const base::MutexLock lock(mutex_);
  if (graphs_ == nullptr) {
    report.waits = true;
  } else {
    graphs_->Report(report);
  }
}

void GraphView::AddDoubts(std::vector<Doubt>& doubts) const {
  owned_.AddDoubts(doubts);
  const base::MutexLock lock(mutex_);
  if (graphs_ != nullptr) graphs_->AddDoubts(doubts);
}

ObjectPointer GraphView::Find(const ObjectName& name) const {
  const base::MutexLock lock(mutex_);
  return graphs_ == nullptr ? nullptr : graphs_->Find(name);
}

std::vector<ObjectPointer> GraphView::Graphs() const {
  const base::MutexLock lock(mutex_);
  return graphs_ == nullptr ? std::vector<ObjectPointer>() : graphs_->All();
}

void GraphView::OnChange(const kubernetes::ObjectCache::Change& change) {
  steps_.Set(change.name, change.now == nullptr ? std::set<std::string>() : ServicesNamedBy(*change.now));
  on_graph_(change.name);
}

void GraphView::OnService(const ObjectName& service) const {
  for (const ObjectName& graph : steps_.GraphsOf(service)) on_graph_(graph);
}

void GraphView::QueueAll() const {
  for (const ObjectPointer& graph : Graphs()) on_graph_(kubernetes::NameOf(*graph));
}

}  // namespace inferd::cluster
