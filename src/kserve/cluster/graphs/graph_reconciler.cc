#include "kserve/cluster/graphs/graph_reconciler.h"

#include <memory>

#include "data/manifest/value_path.h"
#include "kserve/cluster/objects/object_set.h"
#include "kserve/cluster/objects/resources.h"
#include "kserve/cluster/services/planned_changes.h"

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
                                .find = [&](const std::string& service) {
                                  return StepServiceOf(cluster_.FindService({namespace_name, service}).get(),
                                                       configuration->config, runtimes);
                                }});
}

Outcome GraphReconciler::Reconcile(const ObjectName& name, const std::stop_token& stop) {
  const kubernetes::ObjectPointer live = graphs_.Find(name);
  // What it had goes with it: the cluster collects what has no owner any more.
  if (live == nullptr || manifest::FieldAt(*live, {"metadata", "deletionTimestamp"}) != nullptr) return {};
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
  if (!decision.failure.has_value()) {
    result = BringAbout({.owner = *live, .wanted = decision.desired.objects, .kept = {}, .there = there}, writer_,
                        logger_, stop);
  }
  for (const FailedWrite& failed : result.failures) {
    outcome.retry |= failed.failure.transient;
    if (!failed.failure.transient) outcome.again_in = kRefusedAgain;
  }
  model::GraphState state = ObserveGraph(decision, there, result);
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
                                                          const std::stop_token& stop) {
  const ObjectName name = kubernetes::NameOf(graph);
  const Value whole = InPlaceOf(graphs.Find(name).get(), graph);
  const std::vector<LabelledObject> there = graphs.ObjectsOf(name);
  const GraphDecision decision = reconciler.DecideAbout(whole, there);
  return PlanSet({.owner = whole, .wanted = decision.desired.objects, .kept = {}, .there = there}, decision.failure,
                 client, stop);
}

}  // namespace inferd::cluster
