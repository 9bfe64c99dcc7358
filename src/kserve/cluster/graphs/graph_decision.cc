#include "kserve/cluster/graphs/graph_decision.h"

#include <algorithm>
#include <utility>

#include "data/manifest/value_path.h"
#include "kserve/cluster/graphs/graph_move.h"
#include "kserve/cluster/objects/ownership.h"
#include "kserve/cluster/objects/resources.h"
#include "kserve/cluster/services/component_observation.h"
#include "kserve/cluster/services/decision.h"
#include "kserve/model/api/annotations.h"
#include "kserve/model/resolve/defaulting.h"
#include "kserve/model/resolve/model_address.h"
#include "kserve/model/resolve/runtime_selection.h"
#include "kserve/model/resolve/validation.h"

namespace inferd::cluster {

namespace {

using manifest::Value;
using model::ComponentState;
using model::GraphState;
using model::ObservedCondition;

// Returns the failure that a pod of the newest template reports.
std::string FailureOfNewest(const ComponentState& state) {
  if (state.revisions.empty()) return {};
  for (const model::ReplicaStatus& replica : state.revisions.back().replicas) {
    if (!replica.failure.empty()) return ": pod \"" + replica.name + "\": " + replica.failure;
  }
  return {};
}

// The old router answers until the new one replaces it.
ObservedCondition Updating(const std::string& more) {
  return {.status = "Unknown",
          .reason = "RouterUpdating",
          .message = "the router of the graph as it was before answers still" + more};
}

void ObserveRouter(const FoundComponent& router, bool applied, GraphState& state) {
  const ComponentState component = ObserveDeployment(router);
  state.configurations = state.routes = component.observed->ready;
  if (state.routes.status != "True") return;
  const bool is_newest = !applied && !component.traffic.empty() && component.traffic.front().latest;
  if (!is_newest) state.configurations = Updating(FailureOfNewest(component));
}

void ObserveKnativeRouter(const FoundComponent& router, bool applied, GraphState& state) {
  const ComponentState component = ObserveKnativeService(router);
  state.configurations = component.observed->configuration;
  state.routes = component.observed->route;
  state.url = component.url;
  if (applied && state.configurations.status == "True") state.configurations = Updating("");
}

// The context of a decision without those changes that would move the graph to another kind of router.
struct KeptGraph {
  model::InferenceServiceConfig config;
  bool has_knative = false;
  std::optional<ObservedCondition> kept_way = {};
};

// The condition of a graph that keeps its Deployment although Knative was installed.
ObservedCondition DeploymentKept() {
  return {.status = "False",
          .reason = "DeploymentKept",
          .message =
              "the cluster has Knative now; the router of this graph stays a Deployment until its annotation "
              "serving.kserve.io/deploymentMode says Knative"};
}

// A graph keeps its kind of router until its annotation asks for another one: it does not become a Knative Service
// because Knative was installed, or because the default changed.
KeptGraph Keep(const model::ObjectMeta& metadata, const GraphContext& context) {
  KeptGraph kept{.config = context.configuration.config, .has_knative = context.has_knative};
  if (const auto mode = KeptMode(metadata, context.served, kept.config.default_mode)) {
    kept.kept_way = ModeKeptNotice(*mode, kept.config.default_mode);
    kept.config.default_mode = *mode;
  }
  if (kept.has_knative && !NamesKnative(metadata) &&
      model::DeploymentModeOf(metadata, kept.config) == model::DeploymentMode::kServerless &&
      WasMadeWithoutKnative(metadata.name, context.served, context.there)) {
    kept.has_knative = false;
    kept.kept_way = DeploymentKept();
  }
  return kept;
}

}  // namespace

model::StepService StepServiceOf(const Value* service, const model::InferenceServiceConfig& config,
                                 const Runtimes& runtimes) {
  if (service == nullptr) return {};
  if (manifest::TextAt(*service, {"status", "address", "url"}).empty()) return {.there = true};
  manifest::Problems problems;
  const auto read = model::ApplyDefaults(model::ReadInferenceService(*service, problems), config);
  std::string protocol;
  if (const auto& model = read.predictor.model; model.has_value()) {
    const auto list = PointersOf(runtimes);
    protocol = model->protocol_version.value_or(
        model::SelectRuntime(*model, read.metadata.namespace_name, list).protocol_version);
  }
  return {.there = true, .url = model::AddressUrl(read, protocol)};
}

GraphDecision DecideGraph(const Value& document, const GraphContext& context) {
  GraphDecision decision;
  manifest::Problems problems;
  decision.graph = model::ReadInferenceGraph(document, problems);
  if (problems.empty()) problems = model::Validate(decision.graph);
  decision.failure = FailureOf(context.configuration, problems, {}, "InvalidGraph");
  if (decision.failure.has_value()) return decision;
  const KeptGraph kept = Keep(decision.graph.metadata, context);
  auto made = model::MakeGraphObjects(decision.graph, kept.config, kept.has_knative, context.find);
  if (!made.has_value()) {
    decision.failure = std::move(made).error();
    return decision;
  }
  decision.desired = *std::move(made);
  decision.kept_way = kept.kept_way;
  decision.routes = LeaveOutRoutes(context.has_gateway_api, decision.desired.objects);
  decision.move = PlanGraphMove(decision.graph.metadata.name, context.served, context.there, decision.desired.knative);
  if (!decision.move.has_value()) return decision;
  LeaveOutNames(*decision.move, decision.desired.objects);
  if (!decision.move->observes_before()) return decision;
  const bool to_knative = decision.desired.knative;
  decision.kept_way = MovingNotice(
      *decision.move, to_knative ? model::DeploymentMode::kServerless : model::DeploymentMode::kRawDeployment);
  // Requests still use the old URL. A Knative Service reports its own.
  decision.routes.reset();
  if (to_knative) {
    const auto before = model::MakeGraphObjects(decision.graph, kept.config, false, context.find);
    if (before.has_value()) decision.desired.url = before->url;
  }
  return decision;
}

std::function<bool(const LabelledObject&)> WhatGoes(const GraphDecision& decision) {
  if (!decision.move.has_value()) return {};
  return [&decision](const LabelledObject& stray) { return GoesAt(*decision.move, stray); };
}

GraphState ObserveGraph(const GraphDecision& decision, const std::vector<LabelledObject>& there,
                        const SetResult& result) {
  const std::string& name = decision.graph.metadata.name;
  GraphState state{.url = decision.desired.url};
  const std::vector<const Value*> pods = LiveOf(there, Pods());
  const Value* const knative = FindLive(there, KnativeServices(), name);
  // A graph without a valid decision keeps its current router. If it has two, the Service of its name leads to it.
  const Value* const service = FindLive(there, PlainServices(), name);
  const bool has_service = service != nullptr && ClaimOf(*service, decision.graph.document) == Claim::kOwn;
  bool by_knative = decision.failure.has_value() ? knative != nullptr && !has_service : decision.desired.knative;
  // During the first steps of a move, the status describes the old router.
  if (decision.move.has_value() && decision.move->observes_before()) by_knative = !by_knative;
  if (decision.kept_way.has_value()) state.notices.emplace(kWayNotice, *decision.kept_way);
  FoundComponent router{.object = name, .live = knative, .pods = pods, .written = {}};
  const auto applied = [&](const kubernetes::Resource& resource) {
    return std::ranges::find(result.applied, resource.kind) != result.applied.end();
  };
  if (by_knative) {
    ObserveKnativeRouter(router, applied(KnativeServices()), state);
  } else {
    router.live = FindLive(there, Deployments(), name);
    ObserveRouter(router, applied(Deployments()), state);
  }
  state.generation = model::GenerationOf(decision.graph.document);
  const auto fail = [](ObservedCondition& condition, const std::string& reason, const std::string& message) {
    condition = {.status = "False", .reason = reason, .message = message};
  };
  if (decision.routes.has_value()) state.routes = *decision.routes;
  for (const FailedWrite& failed : result.failures) {
    if (failed.failure.transient) continue;
    fail(IsRoute(failed.kind) ? state.routes : state.configurations, failed.failure.reason, failed.failure.message);
  }
  if (!decision.failure.has_value()) return state;
  fail(state.configurations, decision.failure->reason, decision.failure->Explain());
  if (router.live == nullptr) state.routes = state.configurations;
  return state;
}

}  // namespace inferd::cluster
