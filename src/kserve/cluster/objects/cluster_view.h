#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/logging.h"
#include "base/mutex.h"
#include "kserve/cluster/objects/cluster_features.h"
#include "kserve/cluster/objects/configuration.h"
#include "kserve/cluster/objects/followed_resource.h"
#include "kserve/cluster/objects/owned_objects.h"
#include "kserve/model/api/serving_runtime.h"
#include "kserve/model/api/trained_model.h"

namespace inferd::cluster {

using Runtimes = std::vector<std::shared_ptr<const model::ServingRuntime>>;
using Models = std::vector<std::shared_ptr<const model::TrainedModel>>;

// Returns the objects as plain pointers, for decisions. They are valid as long as `objects`.
template <typename Object>
std::vector<const Object*> PointersOf(const std::vector<std::shared_ptr<const Object>>& objects) {
  std::vector<const Object*> pointers;
  for (const auto& object : objects) pointers.push_back(object.get());
  return pointers;
}

// The controller's view of a cluster: the watched objects, and what was parsed from them. A change queues the
// InferenceServices that it affects. Thread-safe.
class ClusterView final {
 public:
  struct Options {
    std::vector<std::string> namespaces{};  // to reconcile; all if empty
    std::string controller_namespace;       // the namespace of the configuration
    // Returns the evidence about features that objects of other owners than services give. May be empty.
    std::function<Evidence(const kubernetes::Resource&, const OwnedObjects::Matches&)> more_evidence{};
  };
  // Callbacks that queue work. Both are called on other threads.
  struct Changed {
    std::function<void(const kubernetes::ObjectName&)> on_service;
    std::function<void()> on_all;  // queues every owner that depends on the configuration or on the features
  };

  // The client, the clock and the logger must outlive the view.
  ClusterView(kubernetes::Client& client, const base::Clock& clock, Options options, Changed changed,
              base::Logger& logger);
  ~ClusterView();
  ClusterView(const ClusterView&) = delete;
  ClusterView& operator=(const ClusterView&) = delete;

  // Looks up the cluster's features, and starts to watch the kinds that the cluster has. One thread must call it before
  // any other method, and then repeatedly. Blocks.
  void Discover(const std::stop_token& stop);

  // Adds the state of all lists. SyncReport::waits stays true until each feature is known to be present or absent.
  void Report(SyncReport& report) const;
  // Suspends decisions about objects in these namespaces, because some of their inputs cannot be listed.
  void Hold(std::set<std::string> namespaces);
  bool IsHeld(const std::string& namespace_name) const;
  const ClusterFeatures& features() const { return features_; }
  // Returns the reasons why the known state may be out of date.
  std::vector<Doubt> doubts() const;

  kubernetes::ObjectPointer FindService(const kubernetes::ObjectName& name) const;
  std::vector<kubernetes::ObjectPointer> Services() const;
  std::vector<LabelledObject> ObjectsOf(const kubernetes::ObjectName& service) const { return owned_.Of(service); }
  std::shared_ptr<const Configuration> configuration() const { return keeper_.current(); }
  // Calls ConfigurationKeeper::Settle. The caller must wait until SyncReport::waits is false. `more_was_made` is true
  // if there are objects of other owners than services, or objects that cannot be listed.
  bool SettleConfiguration(bool more_was_made, const std::stop_token& stop);
  void SaveConfiguration(const std::stop_token& stop) { keeper_.Save(stop); }
  // Returns the runtimes that could be parsed.
  Runtimes runtimes() const;
  // Returns the TrainedModels that name the service.
  Models ModelsOf(const kubernetes::ObjectName& service) const;

  // Queues all services, and all other owners (Changed::on_all).
  void QueueAll() const;

 private:
  using Change = kubernetes::ObjectCache::Change;
  template <typename Object>
  using Objects = std::map<kubernetes::ObjectName, std::shared_ptr<const Object>>;

  Evidence EvidenceOf(const kubernetes::Resource* feature) const;
  // Returns the evidence that the objects of services give about a kind of KServe that was not found.
  Evidence MadeForServices() const;
  Evidence EvidenceOf(const kubernetes::Resource& resource, const OwnedObjects::Matches& matches) const;
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
  Objects<model::ServingRuntime> runtimes_ GUARDED_BY(mutex_);
  Objects<model::TrainedModel> models_ GUARDED_BY(mutex_);
  std::set<std::string> held_ GUARDED_BY(mutex_);
  std::map<std::string, std::unique_ptr<FollowedResource>> followed_ GUARDED_BY(mutex_);  // by API and kind
  const FollowedResource* services_ GUARDED_BY(mutex_) = nullptr;
  ClusterFeatures features_;
  ConfigurationKeeper keeper_;
  OwnedObjects owned_;  // destroyed first
};

}  // namespace inferd::cluster
