#pragma once

#include <map>
#include <set>
#include <string>

#include "controller/cluster/local_cluster.h"
#include "controller/service_set.h"
#include "controller/state/replica_logs.h"
#include "controller/state/service_state.h"
#include "objectstore/stored_object.h"

namespace inferd::controller {

// Writes what has become of the services to the cluster: their statuses, events about them, and a pod for each of their
// replicas. Not thread-safe; the cluster outlives it.
class StatusWriter final {
 public:
  // `gateway_port`: that URLs name. `logs`, which outlive it: of the replicas that have a pod.
  StatusWriter(LocalCluster& cluster, uint16_t gateway_port, ReplicaLogs& logs);

  // Writes what has changed since the last call, and what the store did not take then. Of very many, some are left to
  // the next call, so that this one does not take long.
  void Write(const ServiceSet& services);

 private:
  struct Known {
    ServiceState state;
    uint64_t version = 0;  // 0: not all of it is written
  };

  // False: not all of it could be written. `known`: what was written before.
  bool WriteOne(const objectstore::ObjectKey& key, const ServiceState& state, const ServiceState& known);
  void WriteHeeded(const manifest::Value& object, const ServiceState& state, const ServiceState& known);
  void WriteEvents(const manifest::Value& object, const ServiceState& state, const std::string& before,
                   const std::string& after);
  bool WritePods(const manifest::Value& object, const ServiceState& state);
  void ForgetDeleted(const ServiceSet& services);
  bool DeletePods(const objectstore::ObjectKey& service, const std::set<std::string>& but);

  LocalCluster& cluster_;
  const uint16_t gateway_port_;
  ReplicaLogs& logs_;
  std::map<objectstore::ObjectKey, Known> known_;
  objectstore::ObjectKey next_;  // where the next call goes on
  uint64_t deletions_ = 0;       // that are forgotten already
  bool left_ = false;            // there are pods of services that may be no more
};

}  // namespace inferd::controller
