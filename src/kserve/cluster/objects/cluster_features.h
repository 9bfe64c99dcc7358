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

// A reason why what is known about a cluster may be out of date, and what the controller does meanwhile.
struct Doubt {
  std::string about;  // "Service kserve/inferd-gateway"; the same words as long as it is about the same thing
  std::string text;

  bool operator==(const Doubt&) const = default;
};

// The host of inferd-gateway's Service in that namespace: "inferd-gateway.kserve.svc.cluster.local". Thread-safe.
std::string GatewayHostOf(const std::string& namespace_name);

// What a cluster has beside Kubernetes' own kinds: Knative, Istio, the Gateway API, and inferd-gateway. Each is looked
// for with a request of its own, and kept as Lookup says. Thread-safe, except that one thread calls Look().
class ClusterFeatures final {
 public:
  // Returns what objects that exist say about an API (`resource` is not null) or about inferd-gateway (null). Of
  // ConfigMaps(), it is about init containers of Knative's revisions.
  using FindEvidence = std::function<Evidence(const kubernetes::Resource* resource)>;

  // `controller_namespace` is where inferd-gateway's Service is. All references outlive this.
  ClusterFeatures(kubernetes::Client& client, const base::Clock& clock, std::string controller_namespace,
                  FindEvidence evidence, base::Logger& logger);

  // Looks for each of them once. Blocks. Returns true if something else is known than before.
  bool Look(const std::stop_token& stop);

  // True if each is known to be there or to be absent. Until then nothing may be decided.
  bool known() const;
  // True if the cluster has that API. Kinds that each cluster has are there.
  bool Has(const kubernetes::Resource& resource) const;
  // Empty if there is no inferd-gateway.
  std::string gateway_host() const;
  // True if Knative accepts pods with init containers.
  bool revisions_take_init_containers() const;
  std::vector<Doubt> doubts() const;

 private:
  using Known = Lookup::Known;
  using Answer = kubernetes::ApiResult<manifest::Value>;
  // How an answer counts: the thing is there, is switched off, or (nullopt) is not in what was answered.
  using Read = std::function<std::optional<bool>(const manifest::Value&)>;

  struct Round {
    const std::stop_token& stop;
    bool changed = false;
    bool is_over = false;  // the API server cannot be reached, or `stop` was requested
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
  std::map<std::string, Lookup> lookups_ GUARDED_BY(mutex_);  // by what they are about
};

}  // namespace inferd::cluster
