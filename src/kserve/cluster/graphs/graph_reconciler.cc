#include "kserve/cluster/graphs/graph_reconciler.h"

#include <algorithm>
#include <memory>

#include "data/manifest/value_path.h"
#include "kserve/cluster/objects/object_set.h"
#include "kserve/cluster/objects/resources.h"

namespace inferd::cluster {

using kubernetes::ObjectName;
using manifest::TextAt;
using manifest::Value;

GraphDecision GraphReconciler::DecideAbout(const Value& document, const std::vector<LabelledObject>& there) const {
  const std::shared_ptr<const Configuration> configuration = cluster_.configuration();
  const Runtimes runtimes = cluster_.runtimes();
  const std::string& namespace_name = TextAt(document, {"metadata", "namespace"});
  return DecideGraph(document, {.configuration = *configuration,
                                .has_knative = cluster_.features().Has(KnativeServices()),
                                .has_gateway_api = cluster_.features().Has(HttpRoutes()),
                                .served = ServedWayOf(document, there),
                                .there = there,
                                .find = [&](const std::string& service) {
                                  return StepServiceOf(cluster_.FindService({namespace_name, service}).get(),
                                                       configuration->config, runtimes);
                                }});
}

DecisionInputs GraphReconciler::InputsOf(const Value& document) const {
  return {.owner = DigestOfUsersPart(document),
          .configuration = cluster_.configuration(),
          .runtime = "",
          .runtime_digest = "",
          .features = cluster_.features().Summary()};
}

Outcome GraphReconciler::Reconcile(const ObjectName& name, const std::stop_token& stop) {
  const kubernetes::ObjectPointer live = graphs_.Find(name);
  // The cluster's garbage collection deletes the graph's objects, because they have no owner any more.
  if (live == nullptr || manifest::FieldAt(*live, {"metadata", "deletionTimestamp"}) != nullptr) {
    guard_.Forget(name);
    return {};
  }
  if (cluster_.IsHeld(name.namespace_name)) return {.retry = false, .again_in = kRefusedAgain};
  const std::shared_ptr<const Configuration> configuration = cluster_.configuration();
  if (!configuration->problems.empty()) {
    const auto waits = reporter_.ReportWaiting(*live, *configuration->fault, stop);
    return {.retry = !waits.has_value() && !waits.error().is_not_found(), .again_in = std::nullopt};
  }
  const std::vector<LabelledObject> there = graphs_.ObjectsOf(name);
  const GraphDecision decision = DecideAbout(*live, there);
  Outcome outcome;
  SetResult result;
  std::optional<HeldChange> held;
  if (!decision.failure.has_value()) {
    const DecisionInputs inputs = InputsOf(*live);
    const ObjectSet set = {
        .owner = *live, .wanted = decision.desired.objects, .kept = {}, .there = there, .goes = WhatGoes(decision)};
    const bool is_move = decision.move.has_value();
    auto checked = guard_.Check({.set = set, .revised = {}, .inputs = inputs, .is_move = is_move}, stop);
    if (!checked.has_value()) return {.retry = true, .again_in = std::nullopt};
    held = *std::move(checked);
    if (!held.has_value()) result = BringAbout(set, writer_, logger_, stop);
    // A move is complete only when the old router is gone. Until then, the user's request is the cause of its changes.
    if (!held.has_value() && result.failures.empty() && !is_move) guard_.NoteApplied(name, inputs);
  }
  for (const FailedWrite& failed : result.failures) {
    outcome.retry |= failed.failure.transient;
    if (!failed.failure.transient) outcome.again_in = kRefusedAgain;
  }
  if (std::ranges::any_of(result.failures, [](const FailedWrite& failed) { return failed.failure.of_knative; })) {
    outcome.again_in = kKnativeAgain;
  }
  model::GraphState state = ObserveGraph(decision, there, result);
  if (held.has_value()) {
    outcome.again_in = held->again_in;
    state.notices.emplace(kHeldNotice, held->notice);
    // The live routes still lead to the old URL.
    if (const std::string& url = TextAt(*live, {"status", "url"}); !url.empty()) state.url = url;
  }
  if (configuration->fault.has_value()) state.notices.emplace(kConfigNotice, *configuration->fault);
  const auto reported = reporter_.Report(*live, state, stop);
  if (reported.has_value() || reported.error().is_not_found()) return outcome;
  if (!reported.error().is_conflict()) {
    logger_.Warning("a graph's status cannot be written",
                    {{"namespace", name.namespace_name}, {"name", name.name}, {"why", reported.error().ToString()}});
  }
  outcome.retry = true;
  return outcome;
}

kubernetes::ApiResult<std::vector<std::string>> PlanGraph(const Value& graph, const GraphView& graphs,
                                                          const GraphReconciler& reconciler, kubernetes::Client& client,
                                                          Forecast& forecast, const std::stop_token& stop) {
  const ObjectName name = kubernetes::NameOf(graph);
  const kubernetes::ObjectPointer live = graphs.Find(name);
  const Value whole = InPlaceOf(live.get(), graph);
  const std::vector<LabelledObject> there = graphs.ObjectsOf(name);
  const GraphDecision decision = reconciler.DecideAbout(whole, there);
  const ObjectSet set = {
      .owner = whole, .wanted = decision.desired.objects, .kept = {}, .there = there, .goes = WhatGoes(decision)};
  const DecisionInputs inputs = reconciler.InputsOf(whole);
  const IntendedChange change = {.set = set, .revised = {}, .inputs = inputs, .is_move = decision.move.has_value()};
  return PlanChange(change, decision.failure, IsEdited(live.get(), graph), client, forecast, stop);
}

}  // namespace inferd::cluster
