#include "operator/run_diff.h"

#include <chrono>
#include <iostream>
#include <utility>
#include <variant>
#include <vector>

#include "controlplane/files/object_files.h"
#include "operator/cluster_access.h"
#include "operator/services/planned_changes.h"
#include "storage/transfer/backoff.h"

namespace inferd::operators {

namespace {

constexpr int kSame = 0;
constexpr int kDiffers = 1;
constexpr int kFailed = 2;
constexpr std::chrono::milliseconds kFollowedEvery{50};
constexpr int kSyncedTries = 1200;

base::Result<std::vector<manifest::Value>> ServicesOf(const std::vector<std::string>& files) {
  controlplane::ObjectFiles read;
  INFERD_RETURN_IF_ERROR(read.AddSound(files));
  std::vector<manifest::Value> services;
  for (const controlplane::Object& object : read.objects()) {
    if (!std::holds_alternative<controlplane::InferenceService>(object.typed)) continue;
    services.push_back(object.document());
    services.back().MapAt("metadata").Set("namespace", manifest::Value::String(object.metadata().namespace_name));
  }
  return services;
}

bool AwaitSynced(const ClusterView& view) {
  for (int tries = 0; tries < kSyncedTries; ++tries) {
    if (view.synced()) return true;
    storage::PauseFor(kFollowedEvery, {});
  }
  return false;
}

}  // namespace

int RunDiff(ClusterOptions options, base::Logger& logger) {
  const auto fail = [&](const std::string& why) {
    logger.Error(why);
    return kFailed;
  };
  auto services = ServicesOf(options.files);
  if (!services.has_value()) return fail(services.error().message());
  auto access = FindAccess(options);
  if (!access.has_value()) return fail(access.error().message());
  const base::SystemClock clock;
  kubernetes::Client client(*std::move(access), SendingOptions(), clock);
  ClusterView view(
      client, {.namespaces = options.namespaces, .controller_namespace = ControllerNamespace(options)},
      [](const kubernetes::ObjectName&) {}, logger);
  if (const auto discovered = view.Discover({}); !discovered.has_value()) return fail(discovered.error().ToString());
  if (!AwaitSynced(view)) return fail("the objects of the cluster could not be read");
  if (options.files.empty()) {
    for (const kubernetes::ObjectPointer& service : view.Services()) services->push_back(*service);
  }
  metrics::Registry metrics;
  ObjectWriter writer(client, [] { return false; }, metrics);
  StatusReporter reporter(client, clock, metrics);
  PodObjects pod_objects(client, clock);
  ModelReporter models(client, clock, metrics);
  const ServiceReconciler reconciler(view, pod_objects, writer, reporter, models, client, [] { return true; }, logger);
  bool differs = false;
  for (const manifest::Value& service : *services) {
    const auto lines = PlanChanges(service, view, reconciler, client, {});
    if (!lines.has_value()) return fail(lines.error().ToString());
    for (const std::string& line : *lines) std::cout << line << "\n";
    differs |= !lines->empty();
  }
  std::cout.flush();
  return differs ? kDiffers : kSame;
}

}  // namespace inferd::operators
