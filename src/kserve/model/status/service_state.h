#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kserve/model/pods/pod_resolution.h"
#include "kserve/model/resolve/traffic.h"
#include "kserve/model/status/replica_status.h"

namespace inferd::model {

// One version of a component, and its replicas now.
struct RevisionState {
  std::string name;  // "digits-predictor-default-00001"
  bool was_ready = false;
  std::vector<ReplicaStatus> replicas;

  bool operator==(const RevisionState&) const = default;
};

// What an object of a cluster says of itself.
struct ObservedCondition {
  std::string status = "Unknown";  // "True", "False", "Unknown"
  std::string reason = {};
  std::string message = {};

  bool operator==(const ObservedCondition&) const = default;
};

// A predictor, transformer or explainer that runs, or is to.
struct ComponentState {
  // Its conditions, where an object of a cluster has them.
  struct Observed {
    ObservedCondition ready = {};
    ObservedCondition route = {};          // in serverless mode
    ObservedCondition configuration = {};  // likewise

    bool operator==(const Observed&) const = default;
  };

  ComponentKind kind = ComponentKind::kPredictor;
  std::vector<RevisionState> revisions = {};  // the newest last; without those that are to go
  std::vector<std::string> unheeded = {};     // fields of its pods that do nothing where it runs
  std::vector<std::string> limits = {};       // of its newest pods, that are held, each with how
  Rollout rollout = {};
  std::vector<TrafficTarget> traffic = {};  // each has its revision's name; empty: no revision was ready yet
  std::optional<Observed> observed = {};    // none: its conditions are what its revisions are
  std::string url = {};                     // where it is asked from outside; empty: as the configuration has it

  bool operator==(const ComponentState&) const = default;
};

// What has become of a service, as its status is made of it. A value.
struct ServiceState {
  // Why the service as it stands cannot be run; what ran before goes on.
  std::optional<ResolutionFailure> failure = {};
  DeploymentMode mode = DeploymentMode::kServerless;
  std::string url = {};                         // where predictions are asked for within the cluster
  std::vector<ComponentState> components = {};  // the predictor's first
  std::vector<std::string> unheeded = {};       // fields of the service and its runtime that do nothing, with why
  // Of what leads to it from outside, where that is wrong or missing; none: it goes by the components.
  std::optional<ObservedCondition> ingress = {};
  // Of what gives pods what their templates lack, where that is missing; none: templates lack nothing, or it is there.
  std::optional<ObservedCondition> pod_webhook = {};
  // Conditions by type that do not decide about Ready, for as long as something is to be said.
  std::map<std::string, ObservedCondition> notices = {};

  bool operator==(const ServiceState&) const = default;
};

}  // namespace inferd::model
