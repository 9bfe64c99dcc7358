#pragma once

#include <map>
#include <set>
#include <string>

#include "kserve/apiserver/store/stored_object.h"
#include "kserve/local/objects/local_cluster.h"
#include "kserve/local/objects/write_queue.h"
#include "kserve/local/service_set.h"
#include "kserve/model/api/trained_model.h"

namespace inferd::local {

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
    model::TrainedModel model;
    bool fits = true;     // in the memory of its service
    std::string written;  // what its status was made of
  };

  // Of the service that it names.
  static apiserver::ObjectKey ServiceOf(const apiserver::ObjectKey& key, const model::TrainedModel& model);
  void Read(const apiserver::ObjectKey& key, std::set<apiserver::ObjectKey>& touched);
  void GiveTo(const apiserver::ObjectKey& service, const ServiceSet& services);
  bool WriteStatus(const apiserver::ObjectKey& key, const manifest::Value& made);

  LocalCluster& cluster_;
  WriteQueue& writes_;
  std::map<apiserver::ObjectKey, std::set<apiserver::ObjectKey>> by_service_;
  std::map<apiserver::ObjectKey, Entry> entries_;
};

}  // namespace inferd::local
