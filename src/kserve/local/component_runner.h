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

// What an InferenceService is given to, and where it says what becomes of it.
struct RunnerServices {
  const node::NodeOptions& node;
  const model::InferenceServiceConfig& config;
  std::function<void(bool bad, const std::string& line)> say;
  std::function<std::string()> gateway = nullptr;  // where processes of this machine reach it: "127.0.0.1:8080"
  ComponentPorts* ports = nullptr;                 // null: what asks over gRPC is told the gateway
  RevisionRecords* records = nullptr;              // null: revisions end with this program
};

// What a component is to be, and how its requests are split.
struct ComponentSpec {
  std::string object;       // what its revisions are named after: "iris-predictor-default"
  std::string service;      // that it belongs to
  std::string service_uid;  // likewise
  model::DeploymentMode mode = model::DeploymentMode::kServerless;
  model::ResolvedPod pod;  // as of a cluster
  bool tag_routing = false;
  model::WrittenRollout written = {};  // where it is to go on, when it is made
  // A pod of a cluster as one of this machine.
  std::function<model::ResolvedPod(model::ResolvedPod pod)> localize = nullptr;
};

// A predictor, transformer or explainer on this machine: its revisions, and how its requests are split between them. A
// revision that is not ready yet gets none; the one before goes on until it is. Not thread-safe.
//
// A change of what its pods are makes a revision; all other changes, such as of the canary's share, do not. Revisions
// are recorded, so that the next program goes on with them: until one of them is ready, its requests wait.
class ComponentRunner final {
 public:
  // `service`: "default/iris", for what is said.
  ComponentRunner(std::string service, RunnerServices services);

  // What cannot be run is said, and changes nothing.
  void Apply(ComponentSpec spec, model::ScaleTime now);
  // It is to go.
  void Remove();
  bool removed() const { return removed_; }
  // It has been removed, and nothing is left of it.
  bool gone() const { return removed_ && revisions_.empty(); }
  // It has no replicas, and no request waits for one.
  bool idle() const;
  const model::Rollout& rollout() const { return rollout_; }

  // True: shares() are others than before.
  bool Tick(model::ScaleTime now);
  // How its requests are split: to none, while nothing of it can take requests.
  gateway::ComponentShares shares() const;
  // Those that come and go in its servers; of all its revisions.
  void SetModels(std::vector<node::NamedModel> models);
  // Of the revision that has the requests.
  std::map<std::string, node::NamedModelState> models() const;
  const model::ResolvedPod& pod() const { return spec_.pod; }
  model::ComponentState state() const;
  // What its replicas have written, by their names.
  std::map<std::string, std::shared_ptr<const node::ReplicaLog>> logs() const;
  // "iris-predictor-default-00001 100 %, 1 of 1 replicas ready"; empty: it has no revision.
  std::string Describe() const;

 private:
  struct Share {
    node::Revision* revision;
    int64_t percent;
    std::string tag;

    bool operator==(const Share&) const = default;
  };

  // Goes on with the revisions that it had when this program ended.
  void Restore(model::ScaleTime now);
  void AddRevision(model::ScaleTime now);
  // Whether it could be made.
  bool Start(const RevisionRecord& record, model::ScaleTime now);
  void EraseGone();
  void Roll();
  void RetireOthers();
  node::Revision* Find(const std::string& name) const;

  const std::string service_;
  const RunnerServices services_;
  ComponentSpec spec_;
  std::vector<std::string> unheeded_;
  std::string template_;  // what the newest revision was made of
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
