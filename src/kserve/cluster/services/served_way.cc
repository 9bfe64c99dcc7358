#include "kserve/cluster/services/served_way.h"

#include "data/manifest/value_path.h"
#include "kserve/cluster/objects/ownership.h"
#include "kserve/cluster/objects/resources.h"
#include "kserve/model/api/annotations.h"
#include "kserve/model/reconcile/revision_objects.h"
#include "kserve/model/status/service_status.h"

namespace inferd::cluster {

using manifest::TextAt;
using manifest::Value;
using model::DeploymentMode;

ServedWay ServedWayOf(const Value& owner, const std::vector<LabelledObject>& there) {
  const bool is_graph = TextAt(owner, {"kind"}) == InferenceGraphs().kind;
  const std::string& name = TextAt(owner, {"metadata", "name"});
  const std::string entry = is_graph ? name : name + "-predictor-default";
  ServedWay served;
  for (const LabelledObject& each : there) {
    if (ClaimOf(*each.object, owner) != Claim::kOwn) continue;
    const bool is_entry = TextAt(*each.object, {"metadata", "name"}) == entry;
    if (*each.resource == KnativeServices()) served.by_knative |= is_entry;
    if (*each.resource != Deployments()) continue;
    served.by_gateway |= model::ReadRevision(*each.object).has_value();
    served.by_deployment |= is_entry;
  }
  if (static_cast<int>(served.by_knative) + static_cast<int>(served.by_gateway) +
          static_cast<int>(served.by_deployment) >
      1) {
    return served;
  }
  if (served.by_knative) served.mode = DeploymentMode::kServerless;
  if (served.by_deployment) served.mode = DeploymentMode::kRawDeployment;
  if (!served.by_gateway) return served;
  // The gateway serves both modes. Only serverless components have a condition for routes.
  const Value* const status = owner.Find("status");
  if (status == nullptr || model::ConditionOf(*status, "PredictorReady").empty()) return served;
  const bool has_routes = !model::ConditionOf(*status, "PredictorRouteReady").empty();
  served.mode = has_routes ? DeploymentMode::kServerless : DeploymentMode::kRawDeployment;
  return served;
}

std::optional<DeploymentMode> KeptMode(const model::ObjectMeta& metadata, const ServedWay& served,
                                       DeploymentMode default_mode) {
  const bool names_one = model::ParseDeploymentMode(metadata.annotation(model::kDeploymentModeAnnotation)).has_value();
  if (names_one || !served.mode.has_value() || *served.mode == default_mode) return std::nullopt;
  return served.mode;
}

model::ObservedCondition ModeKeptNotice(DeploymentMode kept, DeploymentMode default_mode) {
  const std::string stays(model::DeploymentModeName(kept));
  const std::string now(model::DeploymentModeName(default_mode));
  return {.status = "False",
          .reason = "DeploymentModeKept",
          .message = "defaultDeploymentMode of inferenceservice-config is " + now + " now; this one stays " + stays +
                     " until its annotation serving.kserve.io/deploymentMode says " + now};
}

bool NamesKnative(const model::ObjectMeta& metadata) {
  return metadata.annotation(model::kDeploymentModeAnnotation) == "Knative";
}

}  // namespace inferd::cluster
