#include "serving/scheduling/sequence_lane.h"

#include <algorithm>

namespace inferd::scheduling {

config::ModelConfig OldestLane::ConfigOf(config::ModelConfig model) {
  const config::SequenceBatching& sequences = *model.sequence_batching;
  config::DynamicBatching& batching = model.dynamic_batching.emplace();
  batching.preferred_batch_sizes = sequences.preferred_batch_sizes;
  batching.max_queue_delay_us = sequences.max_queue_delay_us;
  batching.preserve_ordering = sequences.preserve_ordering;
  batching.default_queue_policy = model.queue_policy;
  // The number of sequences limits the waiting requests.
  batching.default_queue_policy.queue_size_max = static_cast<uint32_t>(std::max(sequences.max_candidate_sequences, 1));
  model.batching = config::BatchingMode::kConfigured;
  model.concurrency = {};
  return model;
}

SchedulerOptions OldestLane::OptionsOf(SchedulerOptions options) {
  options.delay_until_queued = 0;  // the SequenceTable applies it to all sequences
  return options;
}

}  // namespace inferd::scheduling
