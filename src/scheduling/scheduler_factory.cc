#include "scheduling/scheduler_factory.h"

#include <utility>

#include "scheduling/instance_scheduler.h"
#include "scheduling/resources/instance_place.h"

namespace inferd::scheduling {

namespace {

base::Result<std::unique_ptr<core::Scheduler>> MakeScheduler(core::SchedulerParts version,
                                                             const SchedulerOptions& options,
                                                             const SchedulerServices& services) {
  if (version.instances.empty()) {
    return std::unexpected(base::InvalidArgument("model '" + version.id.name + "' has no instance"));
  }
  auto metrics = services.metrics.Add(version.id, version.config->metric_tags, version.statistics);
  if (version.signature->decoupled) metrics->AddResponses();
  INFERD_ASSIGN_OR_RETURN(ExecutionContext context, MakeExecutionContext(version, services.clock, *metrics));
  INFERD_ASSIGN_OR_RETURN(ShapePadding padding, ShapePadding::Make(version.config->padding, *version.signature));
  INFERD_ASSIGN_OR_RETURN(std::vector<InstancePlace> places,
                          PlaceInstances(*version.config, version.model->compute_threads(), version.instances.size(),
                                         services.host_policies, services.resources));
  return std::make_unique<InstanceScheduler>(InstanceScheduler::Parts{.version = std::move(version),
                                                                      .metrics = std::move(metrics),
                                                                      .context = std::move(context),
                                                                      .padding = std::move(padding),
                                                                      .places = std::move(places)},
                                             options, services);
}

}  // namespace

core::SchedulerFactory MakeSchedulerFactory(const SchedulerOptions& options, const SchedulerServices& services) {
  return [options, services](core::SchedulerParts version) {
    return MakeScheduler(std::move(version), options, services);
  };
}

}  // namespace inferd::scheduling
