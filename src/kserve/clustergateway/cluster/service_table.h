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

// The services whose requests go through the gateway, and their revisions. Requests go to revisions in the shares of
// the service's status (status.components.predictor.traffic). If the status has no shares, or only those of missing
// revisions, they go to the newest revision and wait for it. Not thread-safe.
class ServiceTable final {
 public:
  // `wake` is called on any thread when a request begins to wait. The logger must outlive the table.
  ServiceTable(std::function<void()> wake, base::Logger& logger) : wake_(std::move(wake)), logger_(logger) {}

  // The setters take the current object, or null if there is none. An object that is no InferenceService, or no
  // revision, counts as null.
  //
  // A configuration that is missing, empty or invalid leaves the previous one in force. As long as none was ever valid,
  // services also have the hosts of their statuses.
  void SetConfig(const manifest::Value* config_map);
  void SetService(const kubernetes::ObjectName& name, const manifest::Value* document);
  void SetDeployment(const kubernetes::ObjectName& name, const manifest::Value* document);
  void SetPlaces(const kubernetes::ObjectName& revision, std::vector<gateway::ReplicaPlace> places);

  // Sets this gateway's share of the pods' capacity.
  void SetShare(const GatewayShare& share);

  // Updates the routes of changed services. Returns true if any service has changed.
  bool UpdateRoutes();
  const gateway::RouteTable& routes() const { return routes_; }

  using Revisions = std::map<kubernetes::ObjectName, std::unique_ptr<ServedRevision>>;
  const Revisions& revisions() const { return revisions_; }

 private:
  struct Service {
    std::optional<model::InferenceService> object;
    std::set<std::string> revisions;  // names of the revisions of all services, past and present, that have this name
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
  // The pods of all revisions, including revisions that are not known yet.
  std::map<kubernetes::ObjectName, std::vector<gateway::ReplicaPlace>> places_;
  std::set<kubernetes::ObjectName> touched_;
  gateway::RouteTable routes_;
};

}  // namespace inferd::clustergateway
