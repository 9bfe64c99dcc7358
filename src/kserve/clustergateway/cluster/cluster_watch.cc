#include "kserve/clustergateway/cluster/cluster_watch.h"

#include <algorithm>
#include <utility>

#include "data/manifest/value_path.h"
#include "kserve/clustergateway/cluster/resources.h"
#include "kserve/model/api/annotations.h"

namespace inferd::clustergateway {

namespace {

using kubernetes::Informer;
using kubernetes::ObjectCache;
using kubernetes::ObjectName;
using kubernetes::ObjectPointer;

constexpr std::string_view kServiceNameLabel = "kubernetes.io/service-name";
const std::string kConfigName = "inferenceservice-config";

// Returns the name of a slice's Service.
ObjectName ServiceOf(const ObjectPointer& slice) {
  if (slice == nullptr) return {};
  return {.namespace_name = manifest::TextAt(*slice, {"metadata", "namespace"}),
          .name = manifest::TextAt(*slice, {"metadata", "labels", kServiceNameLabel})};
}

bool AllSynced(const std::vector<std::unique_ptr<Informer>>& list) {
  return std::ranges::all_of(list, [](const auto& informer) { return informer->objects().synced(); });
}

}  // namespace

ClusterWatch::ClusterWatch(kubernetes::Client& client, const ClusterWatchOptions& options, std::function<void()> wake,
                           base::Logger& logger)
    : client_(client), options_(options), wake_(std::move(wake)), logger_(logger) {
  const std::vector<std::string> namespaces =
      options_.namespaces.empty() ? std::vector<std::string>{""} : options_.namespaces;
  for (const std::string& space : namespaces) {
    services_.push_back(Follow(InferenceServices(), {.namespace_name = space},
                               [](Changes& changes, const auto& change) { changes.services.insert(change.name); }));
    deployments_.push_back(
        Follow(Deployments(), {.namespace_name = space, .label_selector = model::kRevisionLabel},
               [](Changes& changes, const auto& change) { changes.deployments.insert(change.name); }));
    endpoints_.push_back(Follow(EndpointSlices(), {.namespace_name = space, .label_selector = model::kRevisionLabel},
                                [this](Changes& changes, const auto& change)
                                    REQUIRES(mutex_) { NoteSlice(changes, change); }));
  }
  config_ =
      Follow(ConfigMaps(), {.namespace_name = options_.own_namespace, .field_selector = "metadata.name=" + kConfigName},
             [](Changes& changes, const auto&) { changes.config = true; });
  gateways_ = Follow(EndpointSlices(),
                     {.namespace_name = options_.own_namespace,
                      .label_selector = std::string(kServiceNameLabel) + "=" + options_.own_service},
                     [](Changes& changes, const auto&) { changes.gateways = true; });
}

std::unique_ptr<Informer> ClusterWatch::Follow(const kubernetes::Resource& resource, kubernetes::Selection selection,
                                               Note note) {
  return std::make_unique<Informer>(
      client_, resource, std::move(selection),
      [this, note = std::move(note)](const ObjectCache::Change& change) {
        {
          const base::MutexLock lock(mutex_);
          note(changes_, change);
        }
        wake_();
      },
      [this, kind = resource.plural](const kubernetes::ApiError& error) {
        logger_.Warning("the API server cannot be followed", {{"kind", kind}, {"reason", error.ToString()}});
      });
}

void ClusterWatch::NoteSlice(Changes& changes, const ObjectCache::Change& change) {
  const ObjectName before = ServiceOf(change.before);
  const ObjectName now = ServiceOf(change.now);
  if (!before.name.empty()) {
    const auto found = slices_.find(before);
    if (found != slices_.end()) {
      found->second.erase(change.name.name);
      if (found->second.empty()) slices_.erase(found);
    }
    changes.endpoints.insert(before);
  }
  if (now.name.empty()) return;
  slices_[now][change.name.name] = change.now;
  changes.endpoints.insert(now);
}

ClusterWatch::Changes ClusterWatch::TakeChanges() {
  const base::MutexLock lock(mutex_);
  return std::exchange(changes_, {});
}

bool ClusterWatch::synced() const {
  return AllSynced(services_) && AllSynced(deployments_) && AllSynced(endpoints_) && config_->objects().synced() &&
         gateways_->objects().synced();
}

ObjectPointer ClusterWatch::Find(const InformerList& list, const ObjectName& name) {
  for (const auto& informer : list) {
    if (ObjectPointer object = informer->objects().Find(name)) return object;
  }
  return nullptr;
}

ObjectPointer ClusterWatch::FindService(const ObjectName& name) const { return Find(services_, name); }

ObjectPointer ClusterWatch::FindDeployment(const ObjectName& name) const { return Find(deployments_, name); }

ObjectPointer ClusterWatch::config() const {
  return config_->objects().Find({.namespace_name = options_.own_namespace, .name = kConfigName});
}

std::vector<ObjectPointer> ClusterWatch::SlicesOf(const ObjectName& service) const {
  const base::MutexLock lock(mutex_);
  std::vector<ObjectPointer> slices;
  const auto found = slices_.find(service);
  if (found == slices_.end()) return slices;
  for (const auto& [name, slice] : found->second) slices.push_back(slice);
  return slices;
}

std::vector<ObjectPointer> ClusterWatch::GatewaySlices() const { return gateways_->objects().All(); }

}  // namespace inferd::clustergateway
