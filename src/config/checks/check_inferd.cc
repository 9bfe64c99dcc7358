#include "config/checks/checks.h"

// inferd { }: what contradicts itself or the rest of the configuration.

namespace inferd::config {
namespace {

using Options = inference::InferdOptions;

void CheckBatching(CheckContext& c, const Place& place, const Options& options) {
  if (!Options::BatchingMode_IsValid(options.batching())) {
    c.problems.push_back(place.At("batching", "unknown batching mode " + std::to_string(options.batching())));
  }
  if (!inference::InlineExecution_IsValid(options.inline_execution())) {
    c.problems.push_back(
        place.At("inline_execution", "unknown inline execution " + std::to_string(options.inline_execution())));
  }
  if (options.batching() == Options::AUTO && c.never_batches()) {
    c.problems.push_back(place.At("batching", "AUTO needs a max_batch_size above 0 for " + c.model));
  }
  if (options.latency_objective_us() > 0 && options.batching() != Options::AUTO) {
    c.problems.push_back(place.At("latency_objective_us",
                                  "latency_objective_us needs batching: AUTO, which aims at it, for " + c.model));
  }
  if (options.split_large_requests() && c.never_batches()) {
    c.problems.push_back(
        place.At("split_large_requests", "split_large_requests needs a max_batch_size above 0 for " + c.model));
  } else if (options.split_large_requests() && c.config.batch_output_size() > 0) {
    c.problems.push_back(
        place.At("split_large_requests", "split_large_requests cannot join what batch_output gives for " + c.model));
  }
}

void CheckQueuePolicy(CheckContext& c, const Place& place, const Options& options) {
  if (!options.has_queue_policy() || !c.config.dynamic_batching().has_default_queue_policy()) return;
  c.problems.push_back(
      place.At("queue_policy", "dynamic_batching has a default_queue_policy, only one can hold for " + c.model));
}

void CheckConcurrency(CheckContext& c, const Place& place, const Options& options) {
  if (!options.has_concurrency()) return;
  const Place inside = place.In("concurrency");
  if (options.concurrency().max() == 0) {
    c.problems.push_back(inside.Here("concurrency must specify 'max' for " + c.model));
  } else if (options.concurrency().min() > options.concurrency().max()) {
    c.problems.push_back(inside.At("min", "concurrency min must be <= max for " + c.model));
  }
}

void CheckVersionLabels(CheckContext& c, const Place& place, const Options& options) {
  for (const auto& [label, version] : options.version_labels()) {
    if (label.empty()) c.problems.push_back(place.At("version_labels", "a label must have a name for " + c.model));
    if (version >= 0) continue;
    c.problems.push_back(place.At("version_labels", "label '" + label + "' must name a version of 0 or more, got " +
                                                        std::to_string(version) + " for " + c.model));
  }
}

}  // namespace

void CheckInferdOptions(CheckContext& c) {
  if (!c.config.has_inferd()) return;
  const Options& options = c.config.inferd();
  const Place place = c.place.In("inferd");
  CheckBatching(c, place, options);
  CheckQueuePolicy(c, place, options);
  CheckConcurrency(c, place, options);
  CheckVersionLabels(c, place, options);
  CheckPadding(c, place);
}

}  // namespace inferd::config
