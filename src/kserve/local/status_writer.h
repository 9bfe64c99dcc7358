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

// Writes the state of the services to the cluster: their statuses, events about them, and a pod for each replica. The
// threads of a queue write, so that the caller does not wait for the disk. Not thread-safe. The cluster must outlive
// it.
class StatusWriter final {
 public:
  // `gateway_port` is the port in URLs. `logs` has the logs of replicas with a pod. `logs` and `queue` must outlive
  // this object. The queue must have finished all its writes before it is destroyed.
  StatusWriter(LocalCluster& cluster, uint16_t gateway_port, ReplicaLogs& logs, WriteQueue& queue);

  // Queues what has changed since the last call.
  void Write(ServiceSet& services);

 private:
  struct Known {
    model::ServiceState state;
    uint64_t version = 0;
  };
  using Logs = std::map<std::string, std::shared_ptr<const node::ReplicaLog>>;
  using Config = std::shared_ptr<const model::InferenceServiceConfig>;

  // Writes one service on a thread of the queue. Returns false if it must be retried.
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
  // The last events of each service's components.
  std::map<apiserver::ObjectKey, std::set<std::string>> told_ GUARDED_BY(mutex_);
};

}  // namespace inferd::local
