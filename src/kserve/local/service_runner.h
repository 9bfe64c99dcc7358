#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "kserve/gateway/route_table.h"
#include "kserve/local/component_runner.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/serving_runtime.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/model/status/service_state.h"

namespace inferd::local {

// An InferenceService on this machine, with its components. Requests to the service go to its transformer or, without
// one, to its predictor. Explain requests go to its explainer. Transformer and explainer call the predictor through the
// gateway. Not thread-safe.
class ServiceRunner final {
 public:
  ServiceRunner(std::string name, RunnerServices services) : name_(std::move(name)), services_(std::move(services)) {}

  // Applies the service, which must be valid. If it cannot run, the error is reported and nothing changes.
  void Apply(const model::InferenceService& service, std::span<const model::ServingRuntime* const> runtimes,
             model::ScaleTime now);
  // Begins to end all its replicas.
  void Remove();
  // True if it was removed and has no revision left.
  bool gone() const;

  // True if it has no replicas and no request waits for one. Then its state changes only slowly by itself.
  bool idle() const;
  // Advances its components. Returns true if AddRoutes would now add other routes.
  bool Tick(model::ScaleTime now);
  void AddRoutes(gateway::RouteList& routes) const;

  model::ServiceState state() const;
  // Returns the logs of its replicas, by replica name.
  std::map<std::string, std::shared_ptr<const node::ReplicaLog>> logs() const;
  // Set the predictor's TrainedModels, and return their states by name.
  void SetModels(std::vector<node::NamedModel> models);
  std::map<std::string, node::NamedModelState> models() const;
  // True if its predictor serves TrainedModels.
  bool takes_models() const;
  // Returns the predictor's memory limit (resources.limits.memory). nullopt if it has none.
  std::optional<int64_t> MemoryLimitBytes() const;
  // Returns the URL for predictions within the cluster. Empty after Remove.
  std::string Url() const;

 private:
  // Adds the component's routes for local processes: its path on the gateway, and its gRPC port.
  void AddLocalRoutes(const gateway::ComponentShares& component, gateway::RouteList& routes) const;
  // Returns the predictor's address for the pod's processes.
  std::string PredictorPlace(const model::ResolvedPod& pod) const;
  const ComponentRunner* Find(model::ComponentKind kind) const;
  void SayState();

  const std::string name_;  // "default/iris"
  const RunnerServices services_;
  model::InferenceService service_;
  std::optional<model::ResolutionFailure> failure_;  // of the last Apply
  model::DeploymentMode mode_ = model::DeploymentMode::kServerless;
  std::string protocol_;  // of the predictor; may be empty
  bool removed_ = false;
  std::map<model::ComponentKind, ComponentRunner> components_;
  std::vector<node::NamedModel> models_;
  std::string said_;
};

}  // namespace inferd::local
