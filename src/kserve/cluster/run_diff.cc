#include "kserve/cluster/run_diff.h"

#include <chrono>
#include <iostream>
#include <utility>
#include <variant>
#include <vector>

#include "kserve/cluster/cluster_access.h"
#include "kserve/cluster/graphs/graph_reconciler.h"
#include "kserve/cluster/services/planned_changes.h"
#include "kserve/model/files/object_files.h"
#include "storage/transfer/backoff.h"

namespace inferd::cluster {

namespace {

constexpr int kSame = 0;
constexpr int kDiffers = 1;
constexpr int kFailed = 2;
constexpr std::chrono::milliseconds kFollowedEvery{50};
constexpr int kSyncedTries = 1200;
constexpr int kTriesOfALook = 10;

struct Given {
  std::vector<manifest::Value> services;
  std::vector<manifest::Value> graphs;
};

base::Result<Given> ReadGiven(const std::vector<std::string>& files) {
  model::ObjectFiles read;
  INFERD_RETURN_IF_ERROR(read.AddSound(files));
  Given given;
  for (const model::Object& object : read.objects()) {
    const bool is_graph = std::holds_alternative<model::InferenceGraph>(object.typed);
    if (!is_graph && !std::holds_alternative<model::InferenceService>(object.typed)) continue;
    manifest::Value& taken = (is_graph ? given.graphs : given.services).emplace_back(object.document());
    taken.MapAt("metadata").Set("namespace", manifest::Value::String(object.metadata().namespace_name));
  }
  return given;
}

Given ReadLive(const ClusterView& view, const GraphView& graph_view) {
  Given live;
  for (const kubernetes::ObjectPointer& service : view.Services()) live.services.push_back(*service);
  for (const kubernetes::ObjectPointer& graph : graph_view.Graphs()) live.graphs.push_back(*graph);
  return live;
}

// Waits until all inputs of decisions are known. Returns the reason if that failed, else an empty text. A missing
// feature is looked up repeatedly, since one failed lookup proves nothing.
std::string AwaitSynced(ClusterView& view, GraphView& graph_view) {
  SyncReport report;
  for (int tries = 0; tries < kSyncedTries; ++tries) {
    if (tries % kTriesOfALook == 0 && !view.features().known()) {
      view.Discover({});
      const std::vector<Doubt> doubts = view.features().doubts();
      if (!view.features().known() && !doubts.empty()) return doubts.front().about + ": " + doubts.front().text;
      graph_view.Follow(view);
    }
    report = {};
    view.Report(report);
    graph_view.Report(report);
    if (!report.waits && report.unreadable.empty()) {
      const bool settled = view.SettleConfiguration(graph_view.has_objects(), {});
      return settled ? "" : "the configuration that was kept cannot be read";
    }
    storage::PauseFor(kFollowedEvery, {});
  }
  if (report.unreadable.empty()) return "the objects of the cluster could not be read";
  return "namespace " + report.unreadable.begin()->first + ": " + report.unreadable.begin()->second;
}

}  // namespace

int RunDiff(ClusterOptions options, base::Logger& logger) {
  const auto fail = [&](const std::string& why) {
    logger.Error(why);
    return kFailed;
  };
  auto given = ReadGiven(options.files);
  if (!given.has_value()) return fail(given.error().message());
  auto access = FindAccess(options);
  if (!access.has_value()) return fail(access.error().message());
  const base::SystemClock clock;
  kubernetes::Client client(*std::move(access), SendingOptions(), clock);
  const auto nothing = [](const kubernetes::ObjectName&) {};
  GraphView graph_view(client, options.namespaces, nothing, logger);
  ClusterView view(client, clock,
                   {.namespaces = options.namespaces,
                    .controller_namespace = ControllerNamespace(options),
                    .more_evidence = [&](const auto&... what) { return graph_view.EvidenceOf(what...); }},
                   {.on_service = nothing, .on_all = [] {}}, logger);
  if (const std::string why = AwaitSynced(view, graph_view); !why.empty()) return fail(why);
  if (options.files.empty()) given = ReadLive(view, graph_view);
  metrics::Registry metrics;
  ObjectWriter writer(client, [] { return false; }, metrics);
  StatusWriter statuses(client, clock, metrics);
  StatusReporter reporter(statuses);
  PodObjects pod_objects(client, clock);
  ModelReporter models(statuses);
  // Nothing is written, so the guards are never asked.
  ChangeGuard guard({.kind = InferenceServices().kind}, client, clock, metrics, logger);
  ChangeGuard graph_guard({.kind = InferenceGraphs().kind}, client, clock, metrics, logger);
  const ServiceReconciler services(
      view, pod_objects, guard, writer, reporter, models, client, [] { return true; }, logger);
  const GraphReconciler graphs(graph_view, view, graph_guard, writer, statuses, logger);
  bool differs = false;
  const auto print = [&](const kubernetes::ApiResult<std::vector<std::string>>& lines) {
    if (!lines.has_value()) return false;
    for (const std::string& line : *lines) std::cout << line << "\n";
    differs |= !lines->empty();
    return true;
  };
  Forecast forecast;
  for (const manifest::Value& service : given->services) {
    const auto lines = PlanChanges(service, view, services, client, forecast, {});
    if (!print(lines)) return fail(lines.error().ToString());
  }
  Forecast graph_forecast;
  for (const manifest::Value& graph : given->graphs) {
    const auto lines = PlanGraph(graph, graph_view, graphs, client, graph_forecast, {});
    if (!print(lines)) return fail(lines.error().ToString());
  }
  print(forecast.Lines(InferenceServices().kind, view.Services().size(), options.pace));
  print(graph_forecast.Lines(InferenceGraphs().kind, graph_view.Graphs().size(), options.pace));
  std::cout.flush();
  return differs ? kDiffers : kSame;
}

}  // namespace inferd::cluster
