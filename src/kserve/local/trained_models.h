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

// The TrainedModels of this machine. Each is given to the service that it names, and its conditions report its state
// there. Not thread-safe. The cluster must outlive it.
//
// A service takes its models in the order of their names, up to its predictor's memory limit (KServe 0.10:
// resources.limits.memory of its container).
class TrainedModels final {
 public:
  // The queue must have finished all writes of this object before it is destroyed.
  TrainedModels(LocalCluster& cluster, WriteQueue& writes) : cluster_(cluster), writes_(writes) {}

  // Follows the cluster's changes. Call after ServiceSet::Follow.
  void Follow(const LocalCluster::Changes& changes, const ServiceSet& services);
  // Queues the changed statuses.
  void Write(const ServiceSet& services);

 private:
  struct Entry {
    model::TrainedModel model;
    bool fits = true;     // in the memory of its service
    std::string written;  // content of its last status
  };

  // Returns the key of the service that the model names.
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
