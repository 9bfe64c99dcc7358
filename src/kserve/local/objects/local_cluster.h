#pragma once

#include <functional>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "kserve/apiserver/objects/admission.h"
#include "kserve/apiserver/objects/garbage_collector.h"
#include "kserve/apiserver/objects/registry.h"
#include "kserve/apiserver/store/object_store.h"
#include "kserve/local/objects/event_recorder.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/api/object.h"
#include "kserve/model/api/serving_runtime.h"

namespace inferd::local {

// The objects of this machine, which a cluster would have in its API server: the store with its rules, and of it what
// decides about the others, read. Not thread-safe but for registry().
class LocalCluster final {
 public:
  // `domain`: of services, where no inferenceservice-config says it.
  explicit LocalCluster(std::string domain);
  ~LocalCluster();

  // `path`: of the database; empty: in memory. `on_change`: Refresh() has something new; from any thread.
  base::Status Open(const std::string& path, std::function<void()> on_change);
  apiserver::Registry& registry() { return *registry_; }
  EventRecorder& events() { return *events_; }

  // What has changed since the last call. Refresh also deletes what belongs to objects that are gone.
  struct Changes {
    bool decisions = false;  // runtimes or the configuration, so that all services are to be looked at again
    std::set<apiserver::ObjectKey> keys;
  };
  Changes Refresh();

  // As of the last Refresh.
  const std::vector<const model::ServingRuntime*>& runtimes() const { return runtimes_; }
  const model::InferenceServiceConfig& config() const { return config_; }

  // The configuration as it is now. From any thread.
  model::InferenceServiceConfig ReadConfig() const;

  // The object as it is now, without those that are to go; nullopt: there is none.
  std::optional<model::Object> Find(const apiserver::ObjectKey& key) const;
  // The keys of all objects of a resource.
  std::vector<apiserver::ObjectKey> KeysOf(const std::string& resource) const;

 private:
  void ReadRuntimes();

  const std::string domain_;
  const base::SystemClock clock_;
  std::unique_ptr<apiserver::ObjectStore> store_;
  std::unique_ptr<apiserver::Admission> admission_;
  std::unique_ptr<apiserver::Registry> registry_;
  std::unique_ptr<apiserver::GarbageCollector> collector_;
  std::unique_ptr<EventRecorder> events_;
  uint64_t subscription_ = 0;
  int64_t revision_ = 0;  // of the last Refresh; 0: there was none
  model::InferenceServiceConfig config_;
  std::list<model::Object> runtime_objects_;
  std::vector<const model::ServingRuntime*> runtimes_;
};

// The resource of InferenceServices.
const apiserver::ResourceType& ServiceType();

}  // namespace inferd::local
