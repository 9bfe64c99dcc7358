#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kserve/gateway/service_routes.h"
#include "kserve/local/component_ports.h"
#include "kserve/local/objects/revision_records.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/model/resolve/traffic.h"
#include "kserve/model/status/service_state.h"
#include "kserve/model/status/service_status.h"
#include "kserve/node/revision.h"

namespace inferd::local {

// The services that a component of an InferenceService needs: the machine, the configuration, and where to report.
struct RunnerServices {
  const node::NodeOptions& node;
  const model::InferenceServiceConfig& config;
  std::function<void(bool bad, const std::string& line)> say;
  std::function<std::string()> gateway = nullptr;  // the address for local processes: "127.0.0.1:8080"
  ComponentPorts* ports = nullptr;                 // if null, gRPC clients get the gateway's address
  RevisionRecords* records = nullptr;              // if null, revisions end with this program
};

// The wanted state of a component.
struct ComponentSpec {
  std::string object;       // prefix of its revisions' names: "iris-predictor-default"
  std::string service;      // its InferenceService
  std::string service_uid;  // of its InferenceService
  model::DeploymentMode mode = model::DeploymentMode::kServerless;
  model::ResolvedPod pod;  // as in a cluster
  bool tag_routing = false;
  model::WrittenRollout written = {};  // the rollout to continue when the component is created
  // Converts a pod of a cluster to one of this machine.
  std::function<model::ResolvedPod(model::ResolvedPod pod)> localize = nullptr;
};

// A predictor, transformer or explainer on this machine, with its revisions and the split of its requests. A revision
// gets requests once it is ready. Until then, the previous one keeps them. Not thread-safe.
//
// A change of the pods makes a new revision. Other changes, such as of the canary percentage, do not. Revisions are
// recorded, so that the program continues with them after a restart. Requests wait until one of them is ready.
class ComponentRunner final {
 public:
  // `service` is used in log lines: "default/iris".
  ComponentRunner(std::string service, RunnerServices services);

  // Applies a new wanted state. If it cannot run, the error is reported and nothing changes.
  void Apply(ComponentSpec spec, model::ScaleTime now);
  // Begins to end all its replicas.
  void Remove();
  bool removed() const { return removed_; }
  // True if it was removed and has no revision left.
  bool gone() const { return removed_ && revisions_.empty(); }
  // True if it has no replicas and no request waits for one.
  bool idle() const;
  const model::Rollout& rollout() const { return rollout_; }

  // Advances its revisions and the rollout. Returns true if shares() has changed.
  bool Tick(model::ScaleTime now);
  // Returns how its requests are split. No destinations after Remove, or without a revision.
  gateway::ComponentShares shares() const;
  // Sets the TrainedModels that the servers of all its revisions must load.
  void SetModels(std::vector<node::NamedModel> models);
  // Returns the states of the TrainedModels in its latest ready revision, else in the newest.
  std::map<std::string, node::NamedModelState> models() const;
  const model::ResolvedPod& pod() const { return spec_.pod; }
  model::ComponentState state() const;
  // Returns the logs of its replicas, by replica name.
  std::map<std::string, std::shared_ptr<const node::ReplicaLog>> logs() const;
  // Returns "iris-predictor-default-00001 100 %, 1 of 1 replicas ready". Empty without a revision.
  std::string Describe() const;

 private:
  struct Share {
    node::Revision* revision;
    int64_t percent;
    std::string tag;

    bool operator==(const Share&) const = default;
  };

  // Starts the revisions of an earlier run of this program again.
  void Restore(model::ScaleTime now);
  void AddRevision(model::ScaleTime now);
  // Starts the revision. Returns false if its settings are invalid.
  bool Start(const RevisionRecord& record, model::ScaleTime now);
  void EraseGone();
  void Roll();
  void RetireOthers();
  node::Revision* Find(const std::string& name) const;

  const std::string service_;
  const RunnerServices services_;
  ComponentSpec spec_;
  std::vector<std::string> unheeded_;
  std::string template_;  // content of the newest revision
  std::vector<node::NamedModel> models_;
  int created_ = 0;
  bool restored_ = false;
  bool removed_ = false;
  model::Rollout rollout_;
  std::vector<std::unique_ptr<node::Revision>> revisions_;  // the newest last
  node::Revision* latest_ready_ = nullptr;
  std::vector<Share> shares_;
};

}  // namespace inferd::local
