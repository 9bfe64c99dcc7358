#include "kserve/cluster/graphs/graph_move.h"

#include "data/manifest/value_path.h"
#include "kserve/cluster/objects/object_set.h"
#include "kserve/cluster/objects/resources.h"
#include "kserve/model/api/annotations.h"

namespace inferd::cluster {

using manifest::TextAt;
using manifest::Value;
using model::DeploymentMode;
using Step = WayMove::Step;

std::optional<WayMove> PlanGraphMove(const std::string& name, const ServedWay& served,
                                     const std::vector<LabelledObject>& there, bool to_knative) {
  if (!(to_knative ? served.by_deployment : served.by_knative)) return std::nullopt;
  const bool has_new = to_knative ? served.by_knative : served.by_deployment;
  const kubernetes::Resource& resource = to_knative ? KnativeServices() : Deployments();
  ReachedStep reached = StepReached(
      to_knative ? ServedBy::kKnative : ServedBy::kDeployment,
      {.object = name, .live = has_new ? FindLive(there, resource, name) : nullptr, .pods = {}, .written = {}});
  return WayMove{.before = to_knative ? ServedBy::kDeployment : ServedBy::kKnative,
                 .mode = to_knative ? DeploymentMode::kRawDeployment : DeploymentMode::kServerless,
                 .step = reached.step,
                 .waits_for = std::move(reached.waits_for)};
}

void LeaveOutNames(const WayMove& move, std::vector<Value>& objects) {
  if (move.step == Step::kFinish) return;
  std::erase_if(objects, [](const Value& object) {
    const kubernetes::Resource* const resource = WrittenResourceOf(object);
    return resource == nullptr || *resource == PlainServices() || IsRoute(resource->kind);
  });
}

bool GoesAt(const WayMove& move, const LabelledObject& stray) {
  return move.step == Step::kFinish || (move.step == Step::kFreeNames && *stray.resource == PlainServices());
}

bool WasMadeWithoutKnative(const std::string& name, const ServedWay& served, const std::vector<LabelledObject>& there) {
  if (!served.by_deployment || served.by_knative) return false;
  const Value* const deployment = FindLive(there, Deployments(), name);
  if (deployment == nullptr) return false;
  // The annotations of the graph are copied to its Deployment.
  const std::string& mode = TextAt(*deployment, {"metadata", "annotations", model::kDeploymentModeAnnotation});
  return model::ParseDeploymentMode(mode) == DeploymentMode::kServerless;
}

}  // namespace inferd::cluster
