#pragma once

#include <map>
#include <set>
#include <string>

#include "controller/cluster/local_cluster.h"
#include "controller/cluster/write_queue.h"
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
  // At its end, `writes` has none of its own under way or waiting.
  TrainedModels(LocalCluster& cluster, WriteQueue& writes) : cluster_(cluster), writes_(writes) {}

  // Behind ServiceSet::Follow.
  void Follow(const LocalCluster::Changes& changes, const ServiceSet& services);
  // Has the statuses that have changed written soon.
  void Write(const ServiceSet& services);

 private:
  struct Entry {
    controlplane::TrainedModel model;
    bool fits = true;     // in the memory of its service
    std::string written;  // what its status was made of
  };

  // Of the service that it names.
  static objectstore::ObjectKey ServiceOf(const objectstore::ObjectKey& key, const controlplane::TrainedModel& model);
  void Read(const objectstore::ObjectKey& key, std::set<objectstore::ObjectKey>& touched);
  void GiveTo(const objectstore::ObjectKey& service, const ServiceSet& services);
  bool WriteStatus(const objectstore::ObjectKey& key, const manifest::Value& made);

  LocalCluster& cluster_;
  WriteQueue& writes_;
  std::map<objectstore::ObjectKey, std::set<objectstore::ObjectKey>> by_service_;
  std::map<objectstore::ObjectKey, Entry> entries_;
};

}  // namespace inferd::controller
