#include "serving/scheduling/scheduler_factory.h"

#include <algorithm>
#include <utility>

#include "config/model/document_fields.h"
#include "serving/scheduling/direct_lane.h"
#include "serving/scheduling/instance_scheduler.h"
#include "serving/scheduling/resources/instance_place.h"
#include "serving/scheduling/sequence_scheduler.h"

namespace inferd::scheduling {

namespace {

std::unique_ptr<VersionMetrics> AddMetrics(const core::SchedulerParts& version, const SchedulerServices& services) {
  return services.metrics.Add(version.id, version.config->metric_tags, version.statistics,
                              config::HistogramBucketsOf(*version.config));
}

base::Result<std::unique_ptr<InstanceScheduler>> MakeInstanceScheduler(core::SchedulerParts version,
                                                                       std::vector<InstancePlace> places,
                                                                       const SchedulerOptions& options,
                                                                       const SchedulerServices& services) {
  auto metrics = AddMetrics(version, services);
  if (version.signature->decoupled) metrics->AddResponses();
  INFERD_ASSIGN_OR_RETURN(ExecutionContext context, MakeExecutionContext(version, services.clock, *metrics));
  INFERD_ASSIGN_OR_RETURN(ShapePadding padding, ShapePadding::Make(version.config->padding, *version.signature));
  return std::make_unique<InstanceScheduler>(InstanceScheduler::Parts{.version = std::move(version),
                                                                      .metrics = std::move(metrics),
                                                                      .context = std::move(context),
                                                                      .padding = std::move(padding),
                                                                      .places = std::move(places)},
                                             options, services);
}

// Moves one instance out of `version`.
core::SchedulerParts TakeInstance(core::SchedulerParts& version, size_t i) {
  core::SchedulerParts lane{.id = version.id,
                            .generation = version.generation,
                            .config = version.config,
                            .signature = version.signature,
                            .engine_inputs = version.engine_inputs,
                            .engine_outputs = version.engine_outputs,
                            .statistics = version.statistics,
                            .model = version.model,
                            .instances = {}};
  lane.instances.push_back(std::move(version.instances[i]));
  return lane;
}

base::Result<std::unique_ptr<SequenceLane>> MakeLane(core::SchedulerParts version, std::vector<InstancePlace> places,
                                                     const SchedulerOptions& options,
                                                     const SchedulerServices& services) {
  const config::SequenceBatching batching = *version.config->sequence_batching;
  if (batching.strategy == config::SequenceStrategy::kOldest) {
    version.config = std::make_shared<const config::ModelConfig>(OldestLane::ConfigOf(*version.config));
    INFERD_ASSIGN_OR_RETURN(
        std::unique_ptr<InstanceScheduler> scheduler,
        MakeInstanceScheduler(std::move(version), std::move(places), OldestLane::OptionsOf(options), services));
    return std::make_unique<OldestLane>(static_cast<size_t>(std::max(batching.max_candidate_sequences, 1)),
                                        std::move(scheduler));
  }
  auto metrics = AddMetrics(version, services);
  if (version.signature->decoupled) metrics->AddResponses();
  INFERD_ASSIGN_OR_RETURN(ExecutionContext context, MakeExecutionContext(version, services.clock, *metrics));
  return std::make_unique<DirectLane>(DirectLane::Parts{.version = std::move(version),
                                                        .metrics = std::move(metrics),
                                                        .context = std::move(context),
                                                        .places = std::move(places)},
                                      options, services);
}

// A request that is executed again and again would hold a connections' thread for all that time.
std::shared_ptr<const config::ModelConfig> WithoutInline(const config::ModelConfig& model) {
  config::ModelConfig config = model;
  config.inline_execution = config::InlineExecution::kNever;
  return std::make_shared<const config::ModelConfig>(std::move(config));
}

base::Result<std::unique_ptr<core::Scheduler>> MakeSequenceScheduler(core::SchedulerParts version,
                                                                     std::vector<InstancePlace> places,
                                                                     const SchedulerOptions& options,
                                                                     const SchedulerServices& services) {
  SequenceScheduler::Parts parts{.id = version.id,
                                 .config = version.config,
                                 .statistics = version.statistics,
                                 .metrics = AddMetrics(version, services),
                                 .lanes = {}};
  parts.steps.iterative = version.config->sequence_batching->iterative;
  if (parts.steps.iterative) version.config = WithoutInline(*version.config);
  parts.steps.decoupled = version.signature->decoupled;
  INFERD_ASSIGN_OR_RETURN(parts.steps.states, SequenceStates::Make(version, services.outputs));
  if (parts.steps.states.empty()) parts.memory = version.model;
  for (size_t i = 0; i < places.size(); ++i) {
    std::vector<InstancePlace> place;
    place.push_back(std::move(places[i]));
    INFERD_ASSIGN_OR_RETURN(std::unique_ptr<SequenceLane> lane,
                            MakeLane(TakeInstance(version, i), std::move(place), options, services));
    parts.lanes.push_back(std::move(lane));
  }
  return std::make_unique<SequenceScheduler>(std::move(parts), options, services);
}

base::Result<std::unique_ptr<core::Scheduler>> MakeScheduler(core::SchedulerParts version,
                                                             const SchedulerOptions& options,
                                                             const SchedulerServices& services) {
  if (version.instances.empty()) {
    return std::unexpected(base::InvalidArgument("model '" + version.id.name + "' has no instance"));
  }
  INFERD_ASSIGN_OR_RETURN(std::vector<InstancePlace> places,
                          PlaceInstances(*version.config, version.model->compute_threads(), version.instances.size(),
                                         services.host_policies, services.resources));
  if (version.config->sequence_batching.has_value()) {
    return MakeSequenceScheduler(std::move(version), std::move(places), options, services);
  }
  return MakeInstanceScheduler(std::move(version), std::move(places), options, services);
}

}  // namespace

core::SchedulerFactory MakeSchedulerFactory(const SchedulerOptions& options, const SchedulerServices& services) {
  return [options, services](core::SchedulerParts version) {
    return MakeScheduler(std::move(version), options, services);
  };
}

}  // namespace inferd::scheduling
