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

// The InferenceServices that run here: a runner for each one that there is in the cluster. Not thread-safe; the cluster
// and what `services` refers to outlive it.
//
// Of very many, those that do nothing cost little: a service is looked at when its object or something of its replicas
// has changed or a request waits for it, every 100 ms while it has replicas, and else once a second.
class ServiceSet final {
 public:
  ServiceSet(LocalCluster& cluster, RunnerServices services) : cluster_(cluster), services_(std::move(services)) {}

  // Has runners as the cluster has services. True: UpdateRoutes may find others than before, and UrlOf, too.
  bool Follow(const LocalCluster::Changes& changes, model::ScaleTime now);
  // True: UpdateRoutes finds others than before.
  bool Tick(model::ScaleTime now);
  // Those that have changed since the last call, in place of those that there were.
  void UpdateRoutes(gateway::RouteTable& table);
  // Where predictions of a service are asked for within the cluster; empty: there is none.
  std::string UrlOf(const std::string& namespace_name, const std::string& name) const;
  // Null: there is none of that name.
  ServiceRunner* Find(const std::string& namespace_name, const std::string& name) const;
  // Another number once the object was another one; 0: there is no such service.
  uint64_t VersionOf(const apiserver::ObjectKey& key) const;
  // Those of which something may be otherwise than at the last call, and those that are gone since.
  std::set<apiserver::ObjectKey> TakeTouched() { return std::exchange(touched_, {}); }
  // Ends all, and waits for that.
  void Clear();

 private:
  using Keys = std::set<apiserver::ObjectKey>;
  // Those whose replicas or requests ask to be looked at, on any thread, also once there is no set any more.
  struct Woken {
    base::Mutex mutex;
    Keys keys GUARDED_BY(mutex);
  };
  struct Entry {
    std::unique_ptr<node::NodeOptions> node;  // the machine's, which wakes this one
    std::unique_ptr<ServiceRunner> runner;
    std::string applied;  // what of the object decides what runs
    uint64_t version = 0;
    bool removed = false;
  };

  bool FollowOne(const apiserver::ObjectKey& key, bool decisions, model::ScaleTime now);
  void MakeRunner(const apiserver::ObjectKey& key, Entry& entry);
  void Wake(const apiserver::ObjectKey& key);
  // Those to be looked at now.
  Keys TakeDue(model::ScaleTime now);
  bool TickOne(const apiserver::ObjectKey& key, model::ScaleTime now);

  LocalCluster& cluster_;
  const RunnerServices services_;
  std::map<apiserver::ObjectKey, Entry> entries_;
  const std::shared_ptr<Woken> woken_ = std::make_shared<Woken>();
  Keys active_;  // that have replicas, or requests that wait for some
  Keys touched_;
  Keys rerouted_;
  model::ScaleTime swept_{0};
  model::ScaleTime swept_all_{0};
};

}  // namespace inferd::local
