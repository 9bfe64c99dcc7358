#include "kserve/cluster/graphs/graph_decision.h"

#include <algorithm>
#include <utility>

#include "data/manifest/value_path.h"
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

// What pods say of why those of the newest template are not ready.
std::string FailureOfNewest(const ComponentState& state) {
  if (state.revisions.empty()) return {};
  for (const model::ReplicaStatus& replica : state.revisions.back().replicas) {
    if (!replica.failure.empty()) return ": pod \"" + replica.name + "\": " + replica.failure;
  }
  return {};
}

// A router that another is to take the place of answers until then.
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

struct KeptGraph {
  model::InferenceServiceConfig config;
  bool has_knative = false;
};

// A graph that names no mode stays what it is: a Deployment does not become a Knative Service because there is Knative
// now, or because the default is another one.
KeptGraph Keep(const model::ObjectMeta& metadata, const GraphContext& context) {
  KeptGraph kept{.config = context.configuration.config, .has_knative = context.has_knative};
  if (model::ParseDeploymentMode(metadata.annotation(model::kDeploymentModeAnnotation)).has_value()) return kept;
  if (context.served.mode.has_value()) kept.config.default_mode = *context.served.mode;
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
  decision.routes = LeaveOutRoutes(context.has_gateway_api, decision.desired.objects);
  return decision;
}

GraphState ObserveGraph(const GraphDecision& decision, const std::vector<LabelledObject>& there,
                        const SetResult& result) {
  const std::string& name = decision.graph.metadata.name;
  GraphState state{.url = decision.desired.url};
  const std::vector<const Value*> pods = LiveOf(there, Pods());
  const Value* const knative = FindLive(there, KnativeServices(), name);
  // Of one that cannot be decided about, what it was before goes on.
  const bool by_knative = decision.failure.has_value() ? knative != nullptr : decision.desired.knative;
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
