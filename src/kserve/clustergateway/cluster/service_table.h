#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/logging.h"
#include "kserve/clustergateway/cluster/served_revision.h"
#include "kserve/gateway/route_table.h"
#include "kserve/gateway/service_routes.h"
#include "kserve/kubernetes/api/resource.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/inference_service_config.h"

namespace inferd::clustergateway {

// The services whose requests go through the gateway, and their revisions. A service's requests go to its revisions as
// its status says (status.components.predictor.traffic); to the newest one where it says nothing yet, or nothing that
// is there, so that they wait for it. Not thread-safe.
class ServiceTable final {
 public:
  // `wake` is called when a request begins to wait, from any thread. The logger outlives it.
  ServiceTable(std::function<void()> wake, base::Logger& logger) : wake_(std::move(wake)), logger_(logger) {}

  // Each is for an object as it is now; null: there is none. What is no InferenceService, or no revision, is as none.
  //
  // A configuration that is missing, empty or broken leaves the one before. Where there was none before, services have
  // the hosts that their statuses name, too.
  void SetConfig(const manifest::Value* config_map);
  void SetService(const kubernetes::ObjectName& name, const manifest::Value* document);
  void SetDeployment(const kubernetes::ObjectName& name, const manifest::Value* document);
  void SetPlaces(const kubernetes::ObjectName& revision, std::vector<gateway::ReplicaPlace> places);

  // Of the gateways that share the work.
  void SetShare(const GatewayShare& share);

  // Brings the routes up to date. Whether any has changed.
  bool UpdateRoutes();
  const gateway::RouteTable& routes() const { return routes_; }

  using Revisions = std::map<kubernetes::ObjectName, std::unique_ptr<ServedRevision>>;
  const Revisions& revisions() const { return revisions_; }

 private:
  struct Service {
    std::optional<model::InferenceService> object;
    std::set<std::string> revisions;  // names, of all services of that name that there were
  };

  void Touch(const kubernetes::ObjectName& service) { touched_.insert(service); }
  gateway::RouteList RoutesOf(const kubernetes::ObjectName& name, Service& service);
  static void AddWrittenHosts(const model::InferenceService& service,
                              const std::vector<gateway::ComponentShares>& components, gateway::RouteList& routes);
  gateway::ComponentShares SharesOf(const Service& service, model::ComponentKind kind,
                                    std::set<std::string>& reachable) const;
  ServedRevision* Find(const Service& service, const std::string& revision) const;
  ServedRevision* Newest(const Service& service, const std::string& component) const;

  const std::function<void()> wake_;
  base::Logger& logger_;
  model::InferenceServiceConfig config_;
  bool has_config_ = false;
  std::map<kubernetes::ObjectName, Service> services_;
  Revisions revisions_;
  GatewayShare share_;
  std::map<kubernetes::ObjectName, std::vector<gateway::ReplicaPlace>> places_;  // of revisions that may be unknown yet
  std::set<kubernetes::ObjectName> touched_;
  gateway::RouteTable routes_;
};

}  // namespace inferd::clustergateway
