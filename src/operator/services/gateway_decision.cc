#include "operator/services/gateway_decision.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "controlplane/api/annotations.h"
#include "controlplane/pods/inject/pod_injection.h"
#include "controlplane/reconcile/gateway_objects.h"
#include "controlplane/reconcile/object_parts.h"
#include "controlplane/reconcile/outside_routes.h"
#include "controlplane/reconcile/revision_objects.h"
#include "controlplane/status/service_status.h"
#include "manifest/value_path.h"
#include "operator/services/pod_status.h"

namespace inferd::operators {

namespace {

using controlplane::ComponentState;
using controlplane::RevisionState;
using manifest::TextAt;
using manifest::Value;

std::vector<controlplane::LiveRevision> RevisionsOf(std::span<const Value* const> deployments) {
  std::vector<controlplane::LiveRevision> revisions;
  for (const Value* deployment : deployments) {
    if (auto revision = controlplane::ReadRevision(*deployment)) revisions.push_back(*std::move(revision));
  }
  return revisions;
}

RevisionState GatewayRevisionOf(const std::string& name, bool was_ready, std::span<const Value* const> pods) {
  RevisionState revision{.name = name, .was_ready = was_ready, .replicas = {}};
  for (const Value* pod : pods) {
    if (TextAt(*pod, {"metadata", "labels", controlplane::kRevisionLabel}) == name) {
      revision.replicas.push_back(ReadPodStatus(*pod));
    }
  }
  return revision;
}

// The pod as it stands in a revision's template.
base::Result<controlplane::ResolvedPod> TemplatePodOf(controlplane::ResolvedPod pod, const DecisionContext& context) {
  // The agent asks what the server itself would be asked.
  const bool has_agent = pod.extension.logger.has_value() || pod.extension.batcher.has_value();
  if (has_agent) pod.pod_spec = controlplane::WithReadinessProbe(pod.pod_spec);
  return controlplane::InjectPod(std::move(pod),
                                 {.config = context.configuration.config, .find = context.injection.find});
}

}  // namespace

void DecideByGateway(const Value& document, const DecisionContext& context, Decision& decision) {
  const controlplane::InferenceService& service = decision.service;
  controlplane::DesiredObjects& desired = decision.desired;
  if (decision.failure.has_value() || context.gateway_host.empty()) return;
  if (!controlplane::UsesGateway(service, desired.pods, desired.mode, context.has_knative)) return;
  // Its revisions are Deployments, whose templates have all.
  desired.needs_pod_webhook = false;
  std::erase_if(desired.objects, [](const Value& object) { return TextAt(object, {"kind"}) != "ConfigMap"; });
  const auto add = [&](std::vector<Value> objects) { std::ranges::move(objects, std::back_inserter(desired.objects)); };
  const std::vector<controlplane::LiveRevision> live = RevisionsOf(context.deployments);
  const bool tag_routing = service.metadata.annotation(controlplane::kTagRoutingAnnotation) == "true";
  for (const controlplane::ResolvedPod& resolved : desired.pods) {
    const auto made = TemplatePodOf(resolved, context);
    if (!made.has_value()) {
      decision.failure = controlplane::ResolutionFailure::Saying("InvalidPredictorSpec", made.error().message());
      desired.objects.clear();
      return;
    }
    const controlplane::ResolvedPod& pod = *made;
    controlplane::RevisionPlan plan = controlplane::PlanRevisions(
        {.component = ComponentObjectName(service, pod.kind),
         .service_uid = service.metadata.uid,
         .live = live,
         .rollout = controlplane::ReadRollout(document, pod.kind).rollout,
         .traffic = controlplane::ReadTraffic(document, pod.kind)},
        controlplane::MadeOf(service, pod, desired.mode), pod.extension.canary_traffic_percent, tag_routing);
    add(controlplane::RevisionObjects(service, pod, desired.mode, plan.newest));
    add(controlplane::GatewayComponentNames(service, pod.kind, plan.traffic, context.gateway_host));
    decision.kept.insert(plan.kept.begin(), plan.kept.end());
    decision.plans.emplace(pod.kind, std::move(plan));
  }
  add({controlplane::GatewayNameOf(service, service.metadata.name, context.gateway_host)});
  // Where nothing leads to services from outside, nothing does to these.
  const auto routes = controlplane::OutsideRoutes(service, desired.pods, context.configuration.config);
  if (routes.has_value() && routes->empty()) return;
  auto ingress = controlplane::GatewayIngress(service, desired.pods, context.configuration.config);
  if (ingress.has_value()) {
    add({*std::move(ingress)});
  } else {
    decision.ingress = {.status = "False", .reason = "InvalidConfig", .message = ingress.error().message()};
  }
}

controlplane::RevisionPlan PlanAsWritten(const Value& document, controlplane::ComponentKind kind) {
  const controlplane::WrittenRollout written = controlplane::ReadRollout(document, kind);
  controlplane::RevisionPlan plan;
  plan.latest_created = written.latest_created;
  plan.rollout = written.rollout;
  plan.traffic = controlplane::ReadTraffic(document, kind);
  return plan;
}

bool HasRevisions(std::span<const Value* const> deployments, std::string_view component) {
  return std::ranges::any_of(deployments, [&](const Value* deployment) {
    const auto revision = controlplane::ReadRevision(*deployment);
    return revision.has_value() && revision->component == component;
  });
}

ComponentState ObserveRevisions(controlplane::ComponentKind kind, const controlplane::RevisionPlan& plan,
                                std::span<const Value* const> pods) {
  ComponentState state{.kind = kind};
  const std::string& ready = plan.rollout.latest_ready;
  if (!ready.empty() && ready != plan.latest_created) state.revisions.push_back(GatewayRevisionOf(ready, true, pods));
  state.revisions.push_back(GatewayRevisionOf(plan.latest_created, ready == plan.latest_created, pods));
  state.rollout = plan.rollout;
  state.traffic = plan.traffic;
  return state;
}

}  // namespace inferd::operators
