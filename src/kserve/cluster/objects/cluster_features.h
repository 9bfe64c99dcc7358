#pragma once

#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/logging.h"
#include "base/mutex.h"
#include "kserve/cluster/objects/lookup.h"
#include "kserve/cluster/objects/resources.h"
#include "kserve/kubernetes/client/client.h"

namespace inferd::cluster {

// Returns the host of inferd-gateway's Service in that namespace: "inferd-gateway.kserve.svc.cluster.local".
// Thread-safe.
std::string GatewayHostOf(const std::string& namespace_name);

// The optional features of a cluster: Knative, Istio, the Gateway API and inferd-gateway. Each has a request of its
// own, and Lookup decides how its answers count. Thread-safe, except that one thread calls Look().
class ClusterFeatures final {
 public:
  // Returns the evidence that existing objects give about an API, or about inferd-gateway if `resource` is null. For
  // ConfigMaps(), it is the evidence about init containers in Knative's revisions.
  using FindEvidence = std::function<Evidence(const kubernetes::Resource* resource)>;

  // inferd-gateway's Service is looked up in `controller_namespace`. All references must outlive this.
  ClusterFeatures(kubernetes::Client& client, const base::Clock& clock, std::string controller_namespace,
                  FindEvidence evidence, base::Logger& logger);

  // Looks up each feature once. Returns true if the known state changed. Blocks.
  bool Look(const std::stop_token& stop);

  // True if every feature is known to be present or absent. No decision may be made before.
  bool known() const;
  // True if the cluster has that API. Always true for kinds that every cluster has.
  bool Has(const kubernetes::Resource& resource) const;
  // Returns the gateway's host. Empty if there is no inferd-gateway.
  std::string gateway_host() const;
  // True if Knative accepts pods with init containers.
  bool revisions_take_init_containers() const;
  std::vector<Doubt> doubts() const;
  // Returns a text of all present features. It changes if and only if they change.
  std::string Summary() const;

 private:
  using Known = Lookup::Known;
  using Answer = kubernetes::ApiResult<manifest::Value>;
  // Interprets an answer: true if the feature is on, false if it is switched off, nullopt if the answer does not
  // contain the thing.
  using Read = std::function<std::optional<bool>(const manifest::Value&)>;

  struct Round {
    const std::stop_token& stop;
    bool changed = false;
    bool is_over = false;  // the API server is unreachable, or `stop` was requested
  };

  void LookForApi(const kubernetes::Resource& resource, Round& round);
  void LookForObject(const kubernetes::Resource& resource, const kubernetes::ObjectName& name,
                     const kubernetes::Resource* evidence, const Read& read, Round& round);
  void Note(const std::string& about, const kubernetes::Resource* evidence, const Answer& answer, bool is_own_404,
            const Read& read, Round& round);
  Known KnownOf(const std::string& about) const REQUIRES(mutex_);
  bool HasKnative() const REQUIRES(mutex_);

  kubernetes::Client& client_;
  const base::Clock& clock_;
  const std::string controller_namespace_;
  const FindEvidence evidence_;
  base::Logger& logger_;
  mutable base::Mutex mutex_;
  std::map<std::string, Lookup> lookups_ GUARDED_BY(mutex_);  // by feature
};

}  // namespace inferd::cluster
