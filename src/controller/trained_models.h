#pragma once

#include <map>
#include <string>

#include "controller/cluster/local_cluster.h"
#include "controller/service_set.h"
#include "controlplane/api/trained_model.h"
#include "objectstore/stored_object.h"

namespace inferd::controller {

// The TrainedModels of this machine: each is given to the service that it names, and says by its conditions what has
// become of it there. Not thread-safe; the cluster outlives it.
//
// The models of a service are counted in the order of their names, as far as its predictor's memory goes (KServe 0.10:
// resources.limits.memory of its container).
class TrainedModels final {
 public:
  explicit TrainedModels(LocalCluster& cluster) : cluster_(cluster) {}

  // Behind ServiceSet::Follow.
  void Follow(const LocalCluster::Changes& changes, const ServiceSet& services);
  // Writes the statuses that have changed.
  void Write(const ServiceSet& services);

 private:
  struct Entry {
    controlplane::TrainedModel model;
    bool fits = true;     // in the memory of its service
    std::string written;  // what its status was made of
  };

  void Read(const objectstore::ObjectKey& key);
  void GiveToServices(const ServiceSet& services);
  bool WriteStatus(const objectstore::ObjectKey& key, const manifest::Value& made);

  LocalCluster& cluster_;
  std::map<objectstore::ObjectKey, Entry> entries_;
};

}  // namespace inferd::controller
