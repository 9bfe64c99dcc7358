#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "controller/cluster/local_cluster.h"
#include "controller/service_runner.h"
#include "gateway/route_table.h"
#include "objectstore/stored_object.h"

namespace inferd::controller {

// The InferenceServices that run here: a runner for each one that there is in the cluster. Not thread-safe; the cluster
// and what `services` refers to outlive it.
class ServiceSet final {
 public:
  ServiceSet(LocalCluster& cluster, RunnerServices services) : cluster_(cluster), services_(std::move(services)) {}

  // Has runners as the cluster has services. True: AddRoutes may add others than before.
  bool Follow(const LocalCluster::Changes& changes, controlplane::ScaleTime now);
  // Likewise.
  bool Tick(controlplane::ScaleTime now);
  void AddRoutes(gateway::RouteTable& table) const;
  // Where predictions of a service are asked for within the cluster; empty: there is none.
  std::string UrlOf(const std::string& namespace_name, const std::string& name) const;
  // Null: there is none of that name.
  ServiceRunner* Find(const std::string& namespace_name, const std::string& name) const;
  // Of each service that there is, from a key on, until it returns false; the key that is next, an empty one behind the
  // last. `version` is another one once the object was another one.
  using Take = std::function<bool(const objectstore::ObjectKey& key, const ServiceRunner& runner, uint64_t version)>;
  objectstore::ObjectKey Visit(const objectstore::ObjectKey& from, const Take& take) const;
  bool Has(const objectstore::ObjectKey& key) const;
  // How many have been deleted.
  uint64_t deletions() const { return deletions_; }
  // Ends all, and waits for that.
  void Clear();

 private:
  struct Entry {
    std::unique_ptr<ServiceRunner> runner;
    std::string applied;  // what of the object decides what runs
    uint64_t version = 0;
    bool removed = false;
  };

  bool FollowOne(const objectstore::ObjectKey& key, bool decisions, controlplane::ScaleTime now);

  LocalCluster& cluster_;
  const RunnerServices services_;
  std::map<objectstore::ObjectKey, Entry> entries_;
  uint64_t deletions_ = 0;
};

}  // namespace inferd::controller
