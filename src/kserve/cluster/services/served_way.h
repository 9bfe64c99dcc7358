#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/cluster/objects/labelled_objects.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/api/object_meta.h"
#include "kserve/model/status/service_state.h"

namespace inferd::cluster {

// The way in which a service or a graph is served now, as shown by its objects and its status. A change of the
// configuration's default or of the cluster's features alone never moves an owner to another way.
struct ServedWay {
  std::optional<model::DeploymentMode> mode{};  // nullopt if it is not served yet, or in two ways at once
  bool by_knative = false;                      // it has Knative Services
  bool by_gateway = false;                      // it has revisions behind inferd-gateway
  bool by_deployment = false;                   // it has a Deployment with its component's name
};

// Reads the way from live objects. `owner` is the service or graph as stored in the cluster. Thread-safe, like the
// other functions of this file.
ServedWay ServedWayOf(const manifest::Value& owner, const std::vector<LabelledObject>& there);

// Returns the mode that an object without a mode of its own keeps, if the configuration's default is another one now.
// Nullopt if the default applies.
std::optional<model::DeploymentMode> KeptMode(const model::ObjectMeta& metadata, const ServedWay& served,
                                              model::DeploymentMode default_mode);

// Returns the condition (kWayNotice) of a service or a graph that keeps its mode although the default has changed.
model::ObservedCondition ModeKeptNotice(model::DeploymentMode kept, model::DeploymentMode default_mode);

// True if the mode's annotation requests Knative by name ("Knative", in KServe since 0.16).
bool NamesKnative(const model::ObjectMeta& metadata);

}  // namespace inferd::cluster
