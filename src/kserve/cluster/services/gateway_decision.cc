#include "kserve/cluster/services/gateway_decision.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "data/manifest/value_path.h"
#include "kserve/cluster/services/pod_status.h"
#include "kserve/model/api/annotations.h"
#include "kserve/model/pods/inject/pod_injection.h"
#include "kserve/model/reconcile/gateway_objects.h"
#include "kserve/model/reconcile/object_parts.h"
#include "kserve/model/reconcile/outside_routes.h"
#include "kserve/model/reconcile/revision_objects.h"
#include "kserve/model/status/service_status.h"

namespace inferd::cluster {

namespace {

using manifest::TextAt;
using manifest::Value;
using model::ComponentState;
using model::RevisionState;

std::vector<model::LiveRevision> RevisionsOf(std::span<const Value* const> deployments) {
  std::vector<model::LiveRevision> revisions;
  for (const Value* deployment : deployments) {
    if (auto revision = model::ReadRevision(*deployment)) revisions.push_back(*std::move(revision));
  }
  return revisions;
}

RevisionState GatewayRevisionOf(const std::string& name, bool was_ready, std::span<const Value* const> pods) {
  RevisionState revision{.name = name, .was_ready = was_ready, .replicas = {}};
  for (const Value* pod : pods) {
    if (TextAt(*pod, {"metadata", "labels", model::kRevisionLabel}) == name) {
      revision.replicas.push_back(ReadPodStatus(*pod));
    }
  }
  return revision;
}

// Returns the pod for a revision's template, with everything that a webhook would inject.
base::Result<model::ResolvedPod> TemplatePodOf(model::ResolvedPod pod, const DecisionContext& context) {
  // The agent asks the same probe that the kubelet would ask the server.
  const bool has_agent = pod.extension.logger.has_value() || pod.extension.batcher.has_value();
  if (has_agent) pod.pod_spec = model::WithReadinessProbe(pod.pod_spec);
  return model::InjectPod(std::move(pod), {.config = context.configuration.config, .find = context.injection.find});
}

}  // namespace

void DecideByGateway(const Value& document, const DecisionContext& context, bool has_knative, Decision& decision) {
  const model::InferenceService& service = decision.service;
  model::DesiredObjects& desired = decision.desired;
  if (decision.failure.has_value() || context.gateway_host.empty()) return;
  if (!model::UsesGateway(service, desired.pods, desired.mode, has_knative)) return;
  // Revisions are Deployments with complete templates.
  desired.needs_pod_webhook = false;
  std::erase_if(desired.objects, [](const Value& object) { return TextAt(object, {"kind"}) != "ConfigMap"; });
  const auto add = [&](std::vector<Value> objects) { std::ranges::move(objects, std::back_inserter(desired.objects)); };
  const std::vector<model::LiveRevision> live = RevisionsOf(context.deployments);
  const bool tag_routing = service.metadata.annotation(model::kTagRoutingAnnotation) == "true";
  for (const model::ResolvedPod& resolved : desired.pods) {
    const auto made = TemplatePodOf(resolved, context);
    if (!made.has_value()) {
      decision.failure = model::ResolutionFailure::Saying("InvalidPredictorSpec", made.error().message());
      desired.objects.clear();
      return;
    }
    const model::ResolvedPod& pod = *made;
    model::RevisionPlan plan = model::PlanRevisions({.component = ComponentObjectName(service, pod.kind),
                                                     .service_uid = service.metadata.uid,
                                                     .live = live,
                                                     .rollout = model::ReadRollout(document, pod.kind).rollout,
                                                     .traffic = model::ReadTraffic(document, pod.kind)},
                                                    model::MadeOf(service, pod, desired.mode),
                                                    pod.extension.canary_traffic_percent, tag_routing);
    add(model::RevisionObjects(service, pod, desired.mode, plan.newest));
    add(model::GatewayComponentNames(service, pod.kind, plan.traffic, context.gateway_host));
    decision.kept.insert(plan.kept.begin(), plan.kept.end());
    decision.plans.emplace(pod.kind, std::move(plan));
  }
  add({model::GatewayNameOf(service, service.metadata.name, context.gateway_host)});
  // Without routes from outside to services in general, this service gets none either.
  const auto routes = model::OutsideRoutes(service, desired.pods, context.configuration.config);
  if (routes.has_value() && routes->empty()) return;
  auto ingress = model::GatewayIngress(service, desired.pods, context.configuration.config);
  if (ingress.has_value()) {
    add({*std::move(ingress)});
  } else {
    decision.ingress = {.status = "False", .reason = "InvalidConfig", .message = ingress.error().message()};
  }
}

model::RevisionPlan PlanAsWritten(const Value& document, model::ComponentKind kind) {
  const model::WrittenRollout written = model::ReadRollout(document, kind);
  model::RevisionPlan plan;
  plan.latest_created = written.latest_created;
  plan.rollout = written.rollout;
  plan.traffic = model::ReadTraffic(document, kind);
  return plan;
}

bool HasRevisions(std::span<const Value* const> deployments, std::string_view component) {
  return std::ranges::any_of(deployments, [&](const Value* deployment) {
    const auto revision = model::ReadRevision(*deployment);
    return revision.has_value() && revision->component == component;
  });
}

std::vector<RevisedComponent> RevisedOf(const Decision& decision, std::span<const Value* const> deployments) {
  std::vector<RevisedComponent> revised;
  for (const auto& [kind, plan] : decision.plans) {
    RevisedComponent component{.name = ComponentObjectName(decision.service, kind)};
    // Revisions of an earlier service of the same name do not count.
    const auto is_own = [&](const Value* deployment) {
      const auto revision = model::ReadRevision(*deployment);
      return revision.has_value() && revision->component == component.name &&
             revision->service_uid == decision.service.metadata.uid;
    };
    if (plan.is_new && std::ranges::any_of(deployments, is_own)) component.new_revision = plan.latest_created;
    revised.push_back(std::move(component));
  }
  return revised;
}

ComponentState ObserveRevisions(model::ComponentKind kind, const model::RevisionPlan& plan,
                                std::span<const Value* const> pods) {
  ComponentState state{.kind = kind};
  const std::string& ready = plan.rollout.latest_ready;
  if (!ready.empty() && ready != plan.latest_created) state.revisions.push_back(GatewayRevisionOf(ready, true, pods));
  state.revisions.push_back(GatewayRevisionOf(plan.latest_created, ready == plan.latest_created, pods));
  state.rollout = plan.rollout;
  state.traffic = plan.traffic;
  return state;
}

}  // namespace inferd::cluster
