#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/mutex.h"
#include "kserve/apiserver/store/stored_object.h"
#include "kserve/local/objects/local_cluster.h"
#include "kserve/local/objects/write_queue.h"
#include "kserve/local/service_set.h"
#include "kserve/local/state/replica_logs.h"
#include "kserve/model/status/service_state.h"

namespace inferd::local {

// Writes what has become of the services to the cluster: their statuses, events about them, and a pod for each of their
// replicas: on threads of a queue, so that the caller does not wait for the disk. Not thread-safe; the cluster outlives
// it.
class StatusWriter final {
 public:
  // `gateway_port`: that URLs name. `logs`: of the replicas that have a pod. Both it and `queue` outlive it; at its end
  // the queue has none of its writes under way or waiting.
  StatusWriter(LocalCluster& cluster, uint16_t gateway_port, ReplicaLogs& logs, WriteQueue& queue);

  // Has what has changed since the last call written soon.
  void Write(ServiceSet& services);

 private:
  struct Known {
    model::ServiceState state;
    uint64_t version = 0;
  };
  using Logs = std::map<std::string, std::shared_ptr<const node::ReplicaLog>>;
  using Config = std::shared_ptr<const model::InferenceServiceConfig>;

  // On threads of the queue. False: not all of it could be written.
  bool WriteOne(const apiserver::ObjectKey& key, const model::ServiceState& state, const Logs& logs,
                const Config& config);
  void WriteComponentEvents(const apiserver::ObjectKey& key, const manifest::Value& object,
                            const model::ServiceState& state);
  void WriteEvents(const manifest::Value& object, const model::ServiceState& state, const std::string& before,
                   const std::string& after);
  bool WritePods(const manifest::Value& object, const model::ServiceState& state, const Logs& logs);
  bool DeletePods(const apiserver::ObjectKey& service, const std::set<std::string>& but);
  bool Forget(const apiserver::ObjectKey& key);

  LocalCluster& cluster_;
  const uint16_t gateway_port_;
  ReplicaLogs& logs_;
  WriteQueue& queue_;
  std::map<apiserver::ObjectKey, Known> known_;  // what the queue was given last
  base::Mutex mutex_;
  // The events of each service's components.
  std::map<apiserver::ObjectKey, std::set<std::string>> told_ GUARDED_BY(mutex_);
};

}  // namespace inferd::local
