#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kserve/model/pods/pod_resolution.h"
#include "kserve/model/resolve/traffic.h"
#include "kserve/model/status/replica_status.h"

namespace inferd::model {

// One revision of a component, with its current replicas.
struct RevisionState {
  std::string name;  // "digits-predictor-default-00001"
  bool was_ready = false;
  std::vector<ReplicaStatus> replicas;

  bool operator==(const RevisionState&) const = default;
};

// A condition in the status of a cluster's object.
struct ObservedCondition {
  std::string status = "Unknown";  // "True", "False", "Unknown"
  std::string reason = {};
  std::string message = {};

  bool operator==(const ObservedCondition&) const = default;
};

// A predictor, transformer or explainer that runs or will run.
struct ComponentState {
  // The component's conditions, as objects of a cluster report them.
  struct Observed {
    ObservedCondition ready = {};
    ObservedCondition route = {};          // in serverless mode
    ObservedCondition configuration = {};  // in serverless mode

    bool operator==(const Observed&) const = default;
  };

  ComponentKind kind = ComponentKind::kPredictor;
  std::vector<RevisionState> revisions = {};  // the newest last; without those to be deleted
  std::vector<std::string> unheeded = {};     // fields of its pods that have no effect here
  std::vector<std::string> limits = {};       // of its newest pods: resource limits that are enforced, and how
  Rollout rollout = {};
  std::vector<TrafficTarget> traffic = {};  // each with its revision's name; empty if no revision was ready yet
  std::optional<Observed> observed = {};    // if absent, the revisions decide the conditions
  std::string url = {};                     // its external URL; if empty, the configuration decides

  bool operator==(const ComponentState&) const = default;
};

// The state of a service, from which its status is made. A value.
struct ServiceState {
  // Why the service cannot run in its current form. The previous form keeps running.
  std::optional<ResolutionFailure> failure = {};
  DeploymentMode mode = DeploymentMode::kServerless;
  std::string url = {};                         // URL for predictions within the cluster
  std::vector<ComponentState> components = {};  // the predictor's first
  std::vector<std::string> unheeded = {};       // fields of the service and its runtime without effect, and why
  // The condition of the routes from outside, if they are wrong or missing. If absent, the components decide.
  std::optional<ObservedCondition> ingress = {};
  // The condition of the pod webhook, if templates lack parts that it must inject, and it is missing. Absent otherwise.
  std::optional<ObservedCondition> pod_webhook = {};
  // Extra conditions by type. They do not affect Ready, and exist only while there is something to report.
  std::map<std::string, ObservedCondition> notices = {};

  bool operator==(const ServiceState&) const = default;
};

}  // namespace inferd::model
