#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "kserve/apiserver/store/stored_object.h"
#include "kserve/gateway/route_table.h"
#include "kserve/local/objects/local_cluster.h"
#include "kserve/local/service_runner.h"

namespace inferd::local {

// The InferenceServices of this machine, with a runner for each service object. Not thread-safe. The cluster and the
// references in `services` must outlive it.
//
// Idle services cost little, even in large numbers. A service is checked when its object or a replica has changed or a
// request waits for it, every 100 ms while it has replicas, and otherwise once a second.
class ServiceSet final {
 public:
  ServiceSet(LocalCluster& cluster, RunnerServices services) : cluster_(cluster), services_(std::move(services)) {}

  // Creates, updates and removes runners after the cluster's changes. Returns true if UpdateRoutes must be called and
  // UrlOf may have changed.
  bool Follow(const LocalCluster::Changes& changes, model::ScaleTime now);
  // Advances the services that are due. Returns true if UpdateRoutes must be called.
  bool Tick(model::ScaleTime now);
  // Replaces the routes of services that have changed since the last call.
  void UpdateRoutes(gateway::RouteTable& table);
  // Returns the URL for predictions of a service within the cluster. Empty if the service does not exist.
  std::string UrlOf(const std::string& namespace_name, const std::string& name) const;
  // Returns the service's runner. Null if there is none.
  ServiceRunner* Find(const std::string& namespace_name, const std::string& name) const;
  // Returns a number that changes with each change of the object. 0 if the service does not exist.
  uint64_t VersionOf(const apiserver::ObjectKey& key) const;
  // Returns the services whose state may have changed since the last call, including removed ones.
  std::set<apiserver::ObjectKey> TakeTouched() { return std::exchange(touched_, {}); }
  // Ends all services, and waits for their ends.
  void Clear();

 private:
  using Keys = std::set<apiserver::ObjectKey>;
  // The services whose replicas or requests have asked for a check. Set on any thread. May outlive the set.
  struct Woken {
    base::Mutex mutex;
    Keys keys GUARDED_BY(mutex);
  };
  struct Entry {
    std::unique_ptr<node::NodeOptions> node;  // the machine's options, with a wake function for this service
    std::unique_ptr<ServiceRunner> runner;
    std::string applied;  // the parts of the object that decide what runs
    uint64_t version = 0;
    bool removed = false;
  };

  bool FollowOne(const apiserver::ObjectKey& key, bool decisions, model::ScaleTime now);
  void MakeRunner(const apiserver::ObjectKey& key, Entry& entry);
  void Wake(const apiserver::ObjectKey& key);
  // Returns the services to check now.
  Keys TakeDue(model::ScaleTime now);
  bool TickOne(const apiserver::ObjectKey& key, model::ScaleTime now);

  LocalCluster& cluster_;
  const RunnerServices services_;
  std::map<apiserver::ObjectKey, Entry> entries_;
  const std::shared_ptr<Woken> woken_ = std::make_shared<Woken>();
  Keys active_;  // services with replicas, or with requests that wait for one
  Keys touched_;
  Keys rerouted_;
  model::ScaleTime swept_{0};
  model::ScaleTime swept_all_{0};
};

}  // namespace inferd::local
