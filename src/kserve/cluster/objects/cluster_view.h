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
    // What objects that were not made for services say about the cluster's features. Empty: there are none.
    std::function<Evidence(const kubernetes::Resource&, const OwnedObjects::Matches&)> more_evidence{};
  };
  // What is to be looked at; both are called on other threads.
  struct Changed {
    std::function<void(const kubernetes::ObjectName&)> on_service;
    std::function<void()> on_all;  // whatever is decided by the configuration or by what the cluster has
  };

  // The client, the clock and the logger outlive it.
  ClusterView(kubernetes::Client& client, const base::Clock& clock, Options options, Changed changed,
              base::Logger& logger);
  ~ClusterView();
  ClusterView(const ClusterView&) = delete;
  ClusterView& operator=(const ClusterView&) = delete;

  // Looks which features the cluster has, and follows the kinds that it has. Called once at least before all else, and
  // then again and again, by one thread. Blocks.
  void Discover(const std::stop_token& stop);

  // What has been listed. It waits, too, until each feature is known to be there or not.
  void Report(SyncReport& report) const;
  // Objects in these namespaces are left alone, since not all that they are decided by can be listed.
  void Hold(std::set<std::string> namespaces);
  bool IsHeld(const std::string& namespace_name) const;
  const ClusterFeatures& features() const { return features_; }
  // Why what is known may be out of date.
  std::vector<Doubt> doubts() const;

  kubernetes::ObjectPointer FindService(const kubernetes::ObjectName& name) const;
  std::vector<kubernetes::ObjectPointer> Services() const;
  std::vector<LabelledObject> ObjectsOf(const kubernetes::ObjectName& service) const { return owned_.Of(service); }
  std::shared_ptr<const Configuration> configuration() const { return keeper_.current(); }
  // ConfigurationKeeper::Settle, once nothing waits. `more_was_made`: objects that were not made for services, or that
  // cannot be listed.
  bool SettleConfiguration(bool more_was_made, const std::stop_token& stop);
  void SaveConfiguration(const std::stop_token& stop) { keeper_.Save(stop); }
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

  Evidence EvidenceOf(const kubernetes::Resource* feature) const;
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
  OwnedObjects owned_;  // ends first
};

}  // namespace inferd::cluster
