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
  std::vector<std::string> namespaces;  // whose services are followed; empty: all
  std::string own_namespace;            // the gateway's and the configuration's
  std::string own_service;              // by whose EndpointSlices gateways find each other
};

// Follows what a gateway goes by: InferenceServices, the Deployments and EndpointSlices of revisions, the ConfigMap
// inferenceservice-config, and the gateways themselves; and notes what has changed. Thread-safe.
class ClusterWatch final {
 public:
  // Names of what is to be looked at again.
  struct Changes {
    std::set<kubernetes::ObjectName> services;
    std::set<kubernetes::ObjectName> deployments;
    std::set<kubernetes::ObjectName> endpoints;  // of Services, whose slices are meant
    bool config = false;
    bool gateways = false;

    bool empty() const { return services.empty() && deployments.empty() && endpoints.empty() && !config && !gateways; }
  };

  // `wake` is called when there is a change, from any thread. The client and the logger outlive it. Its end may take a
  // second.
  ClusterWatch(kubernetes::Client& client, const ClusterWatchOptions& options, std::function<void()> wake,
               base::Logger& logger);

  Changes TakeChanges();
  // Whether all is known that there is.
  bool synced() const;

  // Null: there is none.
  kubernetes::ObjectPointer FindService(const kubernetes::ObjectName& name) const;
  kubernetes::ObjectPointer FindDeployment(const kubernetes::ObjectName& name) const;
  kubernetes::ObjectPointer config() const;
  // Of a Service.
  std::vector<kubernetes::ObjectPointer> SlicesOf(const kubernetes::ObjectName& service) const;
  // Of the gateways.
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
  // Of each Service, by their own names.
  std::map<kubernetes::ObjectName, std::map<std::string, kubernetes::ObjectPointer>> slices_ GUARDED_BY(mutex_);
  InformerList services_;
  InformerList deployments_;
  InformerList endpoints_;
  std::unique_ptr<kubernetes::Informer> config_;
  std::unique_ptr<kubernetes::Informer> gateways_;
};

}  // namespace inferd::clustergateway
