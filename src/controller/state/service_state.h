#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controlplane/pods/pod_resolution.h"
#include "controlplane/resolve/traffic.h"
#include "node/revision.h"

namespace inferd::controller {

// One version of a component, and the processes that are its replicas now.
struct RevisionState {
  std::string name;  // "digits-predictor-default-00001"
  bool was_ready = false;
  std::vector<node::ReplicaStatus> replicas;

  bool operator==(const RevisionState&) const = default;
};

// A predictor, transformer or explainer that runs, or is to.
struct ComponentState {
  controlplane::ComponentKind kind = controlplane::ComponentKind::kPredictor;
  std::vector<RevisionState> revisions = {};  // the newest last; without those that are to go
  std::vector<std::string> unheeded = {};     // fields of its pods that do nothing here
  std::vector<std::string> limits = {};       // of its newest pods, that are held here, each with how
  controlplane::Rollout rollout = {};
  std::vector<controlplane::TrafficTarget> traffic =
      {};  // each has its revision's name; empty: no revision was ready yet

  bool operator==(const ComponentState&) const = default;
};

// What has become of a service on this machine, as its status is made of it. A value.
struct ServiceState {
  // Why the service as it stands cannot be run; what ran before goes on.
  std::optional<controlplane::ResolutionFailure> failure = {};
  controlplane::DeploymentMode mode = controlplane::DeploymentMode::kServerless;
  std::string url = {};                         // where predictions are asked for within the cluster
  std::vector<ComponentState> components = {};  // the predictor's first

  bool operator==(const ServiceState&) const = default;
};

}  // namespace inferd::controller
