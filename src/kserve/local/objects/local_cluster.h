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

// The objects of this machine, as a cluster's API server would keep them: a store with its rules. It also keeps the
// runtimes and the configuration in parsed form. Not thread-safe, except for registry() and ReadConfig().
class LocalCluster final {
 public:
  // `domain` is used for services if no inferenceservice-config names one.
  explicit LocalCluster(std::string domain);
  ~LocalCluster();

  // Opens the database at `path`, or one in memory if empty. `on_change` is called on any thread when Refresh() has
  // changes to return.
  base::Status Open(const std::string& path, std::function<void()> on_change);
  apiserver::Registry& registry() { return *registry_; }
  EventRecorder& events() { return *events_; }

  // The changes since the last call of Refresh. Refresh also deletes the dependents of deleted objects.
  struct Changes {
    bool decisions = false;  // runtimes or the configuration have changed, so all services must be checked
    std::set<apiserver::ObjectKey> keys;
  };
  Changes Refresh();

  // The parsed runtimes and configuration, as of the last Refresh.
  const std::vector<const model::ServingRuntime*>& runtimes() const { return runtimes_; }
  const model::InferenceServiceConfig& config() const { return config_; }

  // Returns the current configuration. Thread-safe.
  model::InferenceServiceConfig ReadConfig() const;

  // Returns the current object. nullopt if there is none, or if it is being deleted.
  std::optional<model::Object> Find(const apiserver::ObjectKey& key) const;
  // Returns the keys of all objects of a resource.
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
  int64_t revision_ = 0;  // of the last Refresh; 0 before the first
  model::InferenceServiceConfig config_;
  std::list<model::Object> runtime_objects_;
  std::vector<const model::ServingRuntime*> runtimes_;
};

// Returns the resource type of InferenceServices.
const apiserver::ResourceType& ServiceType();

}  // namespace inferd::local
