#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/logging.h"
#include "base/mutex.h"
#include "kserve/kubernetes/client/client.h"
#include "kserve/kubernetes/watch/informer.h"

namespace inferd::clustergateway {

struct ClusterWatchOptions {
  std::vector<std::string> namespaces;  // to serve; all if empty
  std::string own_namespace;            // of the gateway and the configuration
  std::string own_service;              // Service whose EndpointSlices list the gateways
};

// Watches a gateway's inputs: InferenceServices, the Deployments and EndpointSlices of revisions, the ConfigMap
// inferenceservice-config, and the gateways themselves. It records which of them have changed. Thread-safe.
class ClusterWatch final {
 public:
  // The names of changed objects.
  struct Changes {
    std::set<kubernetes::ObjectName> services;
    std::set<kubernetes::ObjectName> deployments;
    std::set<kubernetes::ObjectName> endpoints;  // Services whose EndpointSlices have changed
    bool config = false;
    bool gateways = false;

    bool empty() const { return services.empty() && deployments.empty() && endpoints.empty() && !config && !gateways; }
  };

  // `wake` is called on any thread when something has changed. The client and the logger must outlive this. The
  // destructor may take a second.
  ClusterWatch(kubernetes::Client& client, const ClusterWatchOptions& options, std::function<void()> wake,
               base::Logger& logger);

  Changes TakeChanges();
  // True if all objects have been listed.
  bool synced() const;

  // Null if there is none.
  kubernetes::ObjectPointer FindService(const kubernetes::ObjectName& name) const;
  kubernetes::ObjectPointer FindDeployment(const kubernetes::ObjectName& name) const;
  kubernetes::ObjectPointer config() const;
  // Returns the EndpointSlices of a Service.
  std::vector<kubernetes::ObjectPointer> SlicesOf(const kubernetes::ObjectName& service) const;
  // Returns the EndpointSlices of the gateways.
  std::vector<kubernetes::ObjectPointer> GatewaySlices() const;

 private:
  using InformerList = std::vector<std::unique_ptr<kubernetes::Informer>>;
  using Note = std::function<void(Changes& changes, const kubernetes::ObjectCache::Change& change)>;

  std::unique_ptr<kubernetes::Informer> Follow(const kubernetes::Resource& resource, kubernetes::Selection selection,
                                               Note note);
  void NoteSlice(Changes& changes, const kubernetes::ObjectCache::Change& change) REQUIRES(mutex_);
  static kubernetes::ObjectPointer Find(const InformerList& list, const kubernetes::ObjectName& name);

  kubernetes::Client& client_;
  const ClusterWatchOptions options_;
  const std::function<void()> wake_;
  base::Logger& logger_;
  mutable base::Mutex mutex_;
  Changes changes_ GUARDED_BY(mutex_);
  // The EndpointSlices of each Service, by the slices' names.
  std::map<kubernetes::ObjectName, std::map<std::string, kubernetes::ObjectPointer>> slices_ GUARDED_BY(mutex_);
  InformerList services_;
  InformerList deployments_;
  InformerList endpoints_;
  std::unique_ptr<kubernetes::Informer> config_;
  std::unique_ptr<kubernetes::Informer> gateways_;
};

}  // namespace inferd::clustergateway
