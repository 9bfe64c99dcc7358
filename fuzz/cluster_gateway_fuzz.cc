// Fuzzes the inputs of inferd-gateway: graphs, reports of other gateways, and cluster objects that define routes. The
// documents of an input are, in order: an InferenceService, a revision's Deployment, an EndpointSlice, and a ConfigMap.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/logging.h"
#include "data/manifest/read.h"
#include "fuzz/require.h"
#include "kserve/clustergateway/cluster/endpoint_places.h"
#include "kserve/clustergateway/cluster/service_table.h"
#include "kserve/clustergateway/router/router_graph.h"
#include "kserve/clustergateway/scaling/load_report.h"

namespace inferd::fuzz {
namespace {

using namespace clustergateway;

constexpr manifest::Limits kLimits = {.file_bytes_max = 64 << 10, .nodes_max = 10'000};

void CheckGraph(std::string_view text) {
  const auto graph = ReadRouterGraph(text);
  if (!graph.has_value()) return RequireRefused(graph.error());
  const auto made = MakeRouterGraph(*graph);
  if (!made.has_value()) return RequireRefused(made.error());
  for (const auto& node : made->plan.nodes) {
    for (const auto& step : node.steps) {
      Require(step.node.has_value() || step.target.address != nullptr, "a step that leads nowhere");
    }
  }
}

void CheckReport(std::string_view text) {
  const auto report = ParseLoadReport(text);
  if (!report.has_value()) return RequireRefused(report.error());
  const auto again = ParseLoadReport(ToJson(*report));
  Require(again.has_value() && again->revisions.size() == report->revisions.size(), "a report that is not read again");
}

void CheckObjects(std::string_view text) {
  const auto documents = manifest::ReadJson(text, "objects", kLimits);
  if (!documents.has_value()) return;
  const auto at = [&](size_t index) { return index < documents->size() ? &(*documents)[index] : nullptr; };
  const auto logger = base::Logger::Silent();
  ServiceTable table([] {}, *logger);
  const kubernetes::ObjectName revision = {"a", "s-predictor-default-00001"};
  table.SetConfig(at(3));
  table.SetService({"a", "s"}, at(0));
  table.SetDeployment(revision, at(1));
  if (at(2) != nullptr) {
    const std::vector slices = {std::make_shared<const manifest::Value>(*at(2))};
    table.SetPlaces(revision, ReadyPlaces(slices, ""));
  }
  table.UpdateRoutes();
  for (const auto& [name, each] : table.revisions()) {
    static_cast<void>(each->WantedPods(std::chrono::seconds(1), {.concurrency = 1e9, .rate = 1, .waiting = 1}, true));
  }
  table.SetDeployment(revision, nullptr);
  table.SetService({"a", "s"}, nullptr);
  table.UpdateRoutes();
  Require(table.revisions().empty() && !table.routes().HasHost("s.a"), "what is left of a service that is gone");
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace inferd;
  const std::vector<char> copy(data, data + size);
  const std::string_view text(copy.data(), copy.size());
  fuzz::CheckGraph(text);
  fuzz::CheckReport(text);
  fuzz::CheckObjects(text);
  return 0;
}
