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

// An InferenceService on this machine: its components, and which of them has which requests. Those of the service go to
// its transformer, where it has one, else to its predictor; explanations to its explainer. Transformer and explainer
// find the predictor through the gateway. Not thread-safe.
class ServiceRunner final {
 public:
  ServiceRunner(std::string name, RunnerServices services) : name_(std::move(name)), services_(std::move(services)) {}

  // The service as it stands in its file, and valid. What cannot be run is said, and changes nothing.
  void Apply(const model::InferenceService& service, std::span<const model::ServingRuntime* const> runtimes,
             model::ScaleTime now);
  // It is to go.
  void Remove();
  // It has been removed, and nothing is left of it.
  bool gone() const;

  // It has no replicas, and no request waits for one: nothing of it changes by itself but slowly.
  bool idle() const;
  // True: AddRoutes would add others than before.
  bool Tick(model::ScaleTime now);
  void AddRoutes(gateway::RouteList& routes) const;

  model::ServiceState state() const;
  // What its replicas have written, by their names.
  std::map<std::string, std::shared_ptr<const node::ReplicaLog>> logs() const;
  // Those that come and go in its predictor (TrainedModels); what becomes of them, by name.
  void SetModels(std::vector<node::NamedModel> models);
  std::map<std::string, node::NamedModelState> models() const;
  // Its predictor is made for that.
  bool takes_models() const;
  // What its predictor may use (resources.limits.memory); nullopt: no limit is given.
  std::optional<int64_t> MemoryLimitBytes() const;
  // Where predictions are asked for within the cluster; empty: it is to go.
  std::string Url() const;

 private:
  // By the path, and the port of gRPC, at which processes of this machine reach a component.
  void AddLocalRoutes(const gateway::ComponentShares& component, gateway::RouteList& routes) const;
  // Where a pod's processes reach the predictor.
  std::string PredictorPlace(const model::ResolvedPod& pod) const;
  const ComponentRunner* Find(model::ComponentKind kind) const;
  void SayState();

  const std::string name_;  // "default/iris"
  const RunnerServices services_;
  model::InferenceService service_;
  std::optional<model::ResolutionFailure> failure_;  // of the last Apply
  model::DeploymentMode mode_ = model::DeploymentMode::kServerless;
  std::string protocol_;  // of the predictor; empty: it does not say
  bool removed_ = false;
  std::map<model::ComponentKind, ComponentRunner> components_;
  std::vector<node::NamedModel> models_;
  std::string said_;
};

}  // namespace inferd::local
