#pragma once

#include <memory>
#include <string>
#include <vector>

#include "controller/service_state.h"
#include "controlplane/api/inference_service.h"
#include "controlplane/api/inference_service_config.h"
#include "controlplane/api/serving_runtime.h"
#include "controlplane/reconcile/desired_objects.h"
#include "controlplane/resolve/traffic.h"
#include "gateway/route_table.h"
#include "node/revision.h"

namespace inferd::controller {

// What an InferenceService is given to, and where it says what becomes of it.
struct RunnerServices {
  const node::NodeOptions& node;
  const controlplane::InferenceServiceConfig& config;
  std::function<void(bool bad, const std::string& line)> say;
};

// An InferenceService on this machine: the revisions of its predictor, and how its requests are split between them. A
// revision that is not ready yet gets none; the one before goes on until it is. Not thread-safe.
//
// A change of what the predictor's pods are makes a revision; all other changes, such as of the canary's share, do not.
class ServiceRunner final {
 public:
  ServiceRunner(std::string name, RunnerServices services) : name_(std::move(name)), services_(services) {}

  // The service as it stands in its file, and valid. What cannot be run is said, and changes nothing.
  void Apply(const controlplane::InferenceService& service,
             std::span<const controlplane::ServingRuntime* const> runtimes, controlplane::ScaleTime now);
  // It is to go.
  void Remove();
  // It has been removed, and nothing is left of it.
  bool gone() const { return removed_ && revisions_.empty(); }

  // True: AddRoutes would add others than before.
  bool Tick(controlplane::ScaleTime now);
  void AddRoutes(gateway::RouteTable& table) const;

  ServiceState state() const;

 private:
  struct Share {
    node::Revision* revision;
    int64_t percent;
    std::string tag;

    bool operator==(const Share&) const = default;
  };

  void AddRevision(controlplane::ResolvedPod pod, controlplane::DeploymentMode mode, controlplane::ScaleTime now);
  void Roll();
  void RetireOthers();
  node::Revision* Find(const std::string& name) const;
  gateway::Destination DestinationOf(const Share& share, int64_t percent) const;
  base::Status AddRoutesOf(const std::string& object, gateway::RouteTable& table) const;
  void SayState();

  const std::string name_;  // "default/iris"
  const RunnerServices services_;
  controlplane::InferenceService service_;
  std::optional<controlplane::ResolutionFailure> failure_;  // of the last Apply
  controlplane::DeploymentMode mode_ = controlplane::DeploymentMode::kServerless;
  std::string template_;  // what the newest revision was made of
  int created_ = 0;
  bool removed_ = false;
  controlplane::Rollout rollout_;
  std::vector<std::unique_ptr<node::Revision>> revisions_;  // the newest last
  node::Revision* latest_ready_ = nullptr;
  std::vector<Share> shares_;
  std::string said_;
};

}  // namespace inferd::controller
