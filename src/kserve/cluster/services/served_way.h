#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/cluster/objects/labelled_objects.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/api/object_meta.h"

namespace inferd::cluster {

// How a service or a graph is served now, as its objects and its status show it. What it is decided by may change, the
// configuration's default or what the cluster has; that alone moves nothing from one way to another.
struct ServedWay {
  std::optional<model::DeploymentMode> mode{};  // nullopt: it is not served yet, or in two ways at once
  bool by_knative = false;                      // it has Knative Services
  bool by_gateway = false;                      // it has revisions behind inferd-gateway
};

// `owner` is the document of the service or the graph as it stands in the cluster. Thread-safe, as are the others.
ServedWay ServedWayOf(const manifest::Value& owner, const std::vector<LabelledObject>& there);

// Returns the mode in which an object goes on that names none, where the configuration's default is another one.
// Nullopt if the default counts.
std::optional<model::DeploymentMode> KeptMode(const model::ObjectMeta& metadata, const ServedWay& served,
                                              model::DeploymentMode default_mode);

// True if the annotation of the mode names Knative itself ("Knative", as KServe has it since 0.16).
bool NamesKnative(const model::ObjectMeta& metadata);

}  // namespace inferd::cluster
