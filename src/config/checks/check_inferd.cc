#include <algorithm>
#include <functional>

#include "config/checks/checks.h"

// inferd { }: settings that contradict each other or the rest of the configuration.

namespace inferd::config {
namespace {

using Options = inference::InferdOptions;

constexpr uint64_t kHangTimeoutMsMax = 24ULL * 60 * 60 * 1000;  // a day
constexpr uint64_t kSharedBytesMin = 1ULL << 16;
constexpr uint64_t kSharedBytesMax = 1ULL << 40;
constexpr uint64_t kMemoryBytesMax = 1ULL << 50;

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

// Only a model whose batches consist of rows can be padded with rows.
void CheckBatchPadding(CheckContext& c, const Place& place, const Options& options) {
  if (!options.has_batch_padding()) return;
  const Place inside = place.In("batch_padding");
  const auto refuse = [&](std::string message) {
    c.problems.push_back(inside.At("allowed_sizes", std::move(message) + " for " + c.model));
  };
  const auto& sizes = options.batch_padding().allowed_sizes();
  const bool to_largest = options.batch_padding().to_largest_shape();
  if (sizes.empty()) {
    const char* const problem = !to_largest         ? "batch_padding must specify 'allowed_sizes' or 'to_largest_shape'"
                                : c.never_batches() ? "batch_padding needs a max_batch_size above 0"
                                                    : nullptr;
    if (problem != nullptr) c.problems.push_back(inside.Here(problem + (" for " + c.model)));
  } else if (*sizes.begin() < 1 || std::ranges::adjacent_find(sizes, std::greater_equal()) != sizes.end()) {
    refuse("allowed_sizes must be above 0 and ascending");
  } else if (c.never_batches()) {
    refuse("batch_padding needs a max_batch_size above 0");
  } else if (c.config.has_max_batch_size() && *sizes.rbegin() > c.config.max_batch_size()) {
    refuse("allowed_sizes must be <= max_batch_size");
  }
  const bool ragged = std::ranges::any_of(c.config.input(), &inference::ModelInput::allow_ragged_batch);
  if (ragged || c.config.batch_input_size() > 0 || c.config.batch_output_size() > 0) {
    c.problems.push_back(
        inside.Here("batch_padding cannot go with ragged inputs, batch_input or batch_output for " + c.model));
  }
}

// Outputs are cut by the size to which a request was padded; this option would pad it further.
void CheckOnePadding(CheckContext& c, const Place& place, const Options& options) {
  if (!options.batch_padding().to_largest_shape() || options.padding().empty()) return;
  c.problems.push_back(
      place.In("batch_padding").At("to_largest_shape", "to_largest_shape cannot go with padding for " + c.model));
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

// `bytes` 0 means the default.
void CheckShared(CheckContext& c, const Place& worker, const std::string& name, uint64_t bytes) {
  if (bytes == 0 || (bytes >= kSharedBytesMin && bytes <= kSharedBytesMax)) return;
  c.problems.push_back(worker.At(name, name + " must be from " + std::to_string(kSharedBytesMin) + " to " +
                                           std::to_string(kSharedBytesMax) + ", got " + std::to_string(bytes) +
                                           " for " + c.model));
}

void CheckVersionTransition(CheckContext& c, const Place& place, const Options& options) {
  if (Options::VersionTransition_IsValid(options.version_transition())) return;
  c.problems.push_back(
      place.At("version_transition", "unknown transition " + std::to_string(options.version_transition())));
}

void CheckV1Dialect(CheckContext& c, const Place& place, const Options& options) {
  if (Options::V1Dialect_IsValid(options.v1_dialect())) return;
  c.problems.push_back(place.At("v1_dialect", "unknown dialect " + std::to_string(options.v1_dialect())));
}

void CheckIsolation(CheckContext& c, const Place& place, const Options& options) {
  if (!Options::Isolation_IsValid(options.isolation())) {
    c.problems.push_back(place.At("isolation", "unknown isolation " + std::to_string(options.isolation())));
  }
  if (!options.has_worker()) return;
  const Place inside = place.In("worker");
  // The Python engine has worker processes wherever the engine itself runs, and they can hang like others.
  const bool others = options.worker().shared_memory_bytes() > 0 || options.worker().body_memory_bytes() > 0;
  if (options.isolation() == Options::NONE && (c.engine != "python" || others)) {
    c.problems.push_back(inside.Here("worker needs isolation: PROCESS or ENGINE_PROCESS for " + c.model));
  }
  if (options.worker().hang_timeout_ms() > kHangTimeoutMsMax) {
    c.problems.push_back(
        inside.At("hang_timeout_ms", "hang_timeout_ms must be <= " + std::to_string(kHangTimeoutMsMax) + ", got " +
                                         std::to_string(options.worker().hang_timeout_ms()) + " for " + c.model));
  }
  CheckShared(c, inside, "shared_memory_bytes", options.worker().shared_memory_bytes());
  CheckShared(c, inside, "body_memory_bytes", options.worker().body_memory_bytes());
}

void CheckMemory(CheckContext& c, const Place& place, const char* field, uint64_t bytes) {
  if (bytes <= kMemoryBytesMax) return;
  c.problems.push_back(place.At(field, std::string(field) + " must be <= " + std::to_string(kMemoryBytesMax) +
                                           ", got " + std::to_string(bytes) + " for " + c.model));
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
  CheckBatchPadding(c, place, options);
  CheckOnePadding(c, place, options);
  CheckQueuePolicy(c, place, options);
  CheckConcurrency(c, place, options);
  CheckMemory(c, place, "memory_bytes", options.memory_bytes());
  CheckMemory(c, place, "gpu_memory_bytes", options.gpu_memory_bytes());
  CheckVersionLabels(c, place, options);
  CheckIsolation(c, place, options);
  CheckVersionTransition(c, place, options);
  CheckV1Dialect(c, place, options);
  CheckPadding(c, place);
  CheckDependencies(c, place);
}

}  // namespace inferd::config
