#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/logging.h"
#include "base/mutex.h"
#include "data/manifest/problem.h"
#include "kserve/cluster/objects/followed_resource.h"
#include "kserve/cluster/objects/owned_objects.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/api/serving_runtime.h"
#include "kserve/model/api/trained_model.h"

namespace inferd::cluster {

// The ConfigMap inferenceservice-config; without one, KServe's defaults.
struct Configuration {
  model::InferenceServiceConfig config;  // where there are problems, the last one without
  manifest::Problems problems;           // of reading it
};

using Runtimes = std::vector<std::shared_ptr<const model::ServingRuntime>>;
using Models = std::vector<std::shared_ptr<const model::TrainedModel>>;

// As decisions take them. Valid as long as `objects`.
template <typename Object>
std::vector<const Object*> PointersOf(const std::vector<std::shared_ptr<const Object>>& objects) {
  std::vector<const Object*> pointers;
  for (const auto& object : objects) pointers.push_back(object.get());
  return pointers;
}

// A cluster as its controller sees it: objects that are followed, and what is read of them. Whatever changes queues the
// InferenceServices that it matters to. Thread-safe.
class ClusterView final {
 public:
  struct Options {
    std::vector<std::string> namespaces{};  // that are looked after; empty: all
    std::string controller_namespace;       // where the configuration is
  };
  // What is to be looked at; both are called on other threads.
  struct Changed {
    std::function<void(const kubernetes::ObjectName&)> on_service;
    std::function<void()> on_all;  // whatever is decided by the configuration or by what the cluster has
  };

  // The client and the logger outlive it.
  ClusterView(kubernetes::Client& client, Options options, Changed changed, base::Logger& logger);
  ~ClusterView();
  ClusterView(const ClusterView&) = delete;
  ClusterView& operator=(const ClusterView&) = delete;

  // Looks which APIs the cluster has, once at least before all else, and follows their kinds. UNAVAILABLE, and what the
  // server says: it cannot be asked.
  kubernetes::ApiResult<void> Discover(const std::stop_token& stop);

  // All that there is has been heard of.
  bool synced() const;
  // Whether the cluster has that API.
  bool Has(const kubernetes::Resource& resource) const;

  // Of inferd-gateway's Service in the controller's namespace: "inferd-gateway.kserve.svc.cluster.local"; empty: there
  // is none.
  std::string gateway_host() const;

  // Whether Knative takes pods with init containers, which is a feature of its own.
  bool revisions_take_init_containers() const;

  kubernetes::ObjectPointer FindService(const kubernetes::ObjectName& name) const;
  std::vector<kubernetes::ObjectPointer> Services() const;
  std::vector<LabelledObject> ObjectsOf(const kubernetes::ObjectName& service) const { return owned_.Of(service); }
  std::shared_ptr<const Configuration> configuration() const;
  // Those that could be read.
  Runtimes runtimes() const;
  // Those that name the service.
  Models ModelsOf(const kubernetes::ObjectName& service) const;

  // All services, and what else is decided about.
  void QueueAll() const;

 private:
  using Change = kubernetes::ObjectCache::Change;
  template <typename Object>
  using Objects = std::map<kubernetes::ObjectName, std::shared_ptr<const Object>>;

  // Whether something is otherwise than it was.
  kubernetes::ApiResult<bool> DiscoverGateway(const std::stop_token& stop);
  kubernetes::ApiResult<bool> DiscoverFeatures(const std::stop_token& stop);
  void Follow(Following following, kubernetes::ObjectCache::OnChange on_change);
  void FollowKServe();
  void OnRuntime(const Change& change, bool cluster_wide);
  void OnModel(const Change& change);
  void OnConfiguration(const Change& change);

  kubernetes::Client& client_;
  const Options options_;
  const Changed changed_;
  base::Logger& logger_;
  mutable base::Mutex mutex_;
  std::set<std::string> apis_ GUARDED_BY(mutex_);  // "apps/v1"
  std::string gateway_host_ GUARDED_BY(mutex_);
  bool init_containers_ GUARDED_BY(mutex_) = false;
  std::shared_ptr<const Configuration> configuration_ GUARDED_BY(mutex_);
  Objects<model::ServingRuntime> runtimes_ GUARDED_BY(mutex_);
  Objects<model::TrainedModel> models_ GUARDED_BY(mutex_);
  std::map<std::string, std::unique_ptr<FollowedResource>> followed_ GUARDED_BY(mutex_);  // by API and kind
  const FollowedResource* services_ GUARDED_BY(mutex_) = nullptr;
  OwnedObjects owned_;  // ends first
};

}  // namespace inferd::cluster
