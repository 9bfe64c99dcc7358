#include "serving/core/model/version_statistics.h"

#include <algorithm>

namespace inferd::core {

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

uint64_t NotNegative(int64_t ns) { return DurationCount::NotNegative(ns); }

}  // namespace

VersionStatistics::~VersionStatistics() {
  for (auto& block : blocks_) delete block.load(kRelaxed);
}

void VersionStatistics::RecordSuccess(int64_t total_ns, const PhaseTimes& phases, int64_t wall_ms, uint64_t requests) {
  success_.Add(total_ns, requests);
  queue_ns_.fetch_add(NotNegative(phases.queue_ns), kRelaxed);
  compute_input_ns_.fetch_add(NotNegative(phases.compute_input_ns), kRelaxed);
  compute_infer_ns_.fetch_add(NotNegative(phases.compute_infer_ns), kRelaxed);
  compute_output_ns_.fetch_add(NotNegative(phases.compute_output_ns), kRelaxed);
  last_inference_ms_.store(wall_ms, kRelaxed);
}

void VersionStatistics::RecordCacheHit(int64_t total_ns, int64_t queue_ns, int64_t lookup_ns, int64_t wall_ms) {
  success_.Add(total_ns);
  queue_ns_.fetch_add(NotNegative(queue_ns), kRelaxed);
  cache_hit_.Add(lookup_ns);
  last_inference_ms_.store(wall_ms, kRelaxed);
}

void VersionStatistics::RecordRequest(int64_t rows, int64_t total_ns, int64_t queue_ns) {
  Batch* const batch = BatchOf(rows);
  if (batch == nullptr) return;
  batch->success.Add(total_ns);
  batch->queue_ns.fetch_add(NotNegative(queue_ns), kRelaxed);
}

void VersionStatistics::RecordFailure(FailureReason reason, int64_t total_ns, int64_t rows) {
  fail_.Add(total_ns);
  failures_[static_cast<size_t>(reason)].fetch_add(1, kRelaxed);
  if (Batch* const batch = BatchOf(rows); batch != nullptr) batch->fail.Add(total_ns);
  if (failure_observer_) failure_observer_(reason, total_ns);
}

void VersionStatistics::RecordExecution(int64_t rows, const PhaseTimes& phases, int64_t idle_rows) {
  executions_.fetch_add(1, kRelaxed);
  inferences_.fetch_add(NotNegative(rows), kRelaxed);
  Batch* batch = BatchOf(rows + idle_rows);
  if (batch == nullptr) return;
  batch->count.fetch_add(1, kRelaxed);
  batch->input_ns.fetch_add(NotNegative(phases.compute_input_ns), kRelaxed);
  batch->infer_ns.fetch_add(NotNegative(phases.compute_infer_ns), kRelaxed);
  batch->output_ns.fetch_add(NotNegative(phases.compute_output_ns), kRelaxed);
}

VersionStatistics::Batch* VersionStatistics::BatchOf(int64_t rows) {
  if (rows < 1 || rows > static_cast<int64_t>(kBatchSizesMax)) return nullptr;
  const auto index = static_cast<size_t>(rows - 1);
  auto& slot = blocks_[index / kBatchesPerBlock];
  Block* block = slot.load(std::memory_order_acquire);
  if (block == nullptr) {
    auto fresh = std::make_unique<Block>();
    if (slot.compare_exchange_strong(block, fresh.get(), std::memory_order_acq_rel)) block = fresh.release();
  }
  return &(*block)[index % kBatchesPerBlock];
}

ModelStatistics VersionStatistics::ReadTotals() const {
  ModelStatistics stats;
  stats.last_inference_ms = NotNegative(last_inference_ms_.load(kRelaxed));
  stats.inference_count = inferences_.load(kRelaxed);
  stats.execution_count = executions_.load(kRelaxed);
  stats.success = success_.Read();
  stats.fail = fail_.Read();
  stats.cache_hit = cache_hit_.Read();
  stats.cache_miss = cache_miss_.Read();
  stats.queue = {.count = stats.success.count, .ns = queue_ns_.load(kRelaxed)};
  // A cache hit also counts as a success. Hits are read later than successes, so they may exceed them.
  const uint64_t computed = stats.success.count - std::min(stats.success.count, stats.cache_hit.count);
  const auto of_computed = [computed](const Number& ns) {
    return DurationStat{.count = computed, .ns = ns.load(kRelaxed)};
  };
  stats.compute_input = of_computed(compute_input_ns_);
  stats.compute_infer = of_computed(compute_infer_ns_);
  stats.compute_output = of_computed(compute_output_ns_);
  return stats;
}

ModelStatistics VersionStatistics::Read() const {
  ModelStatistics stats = ReadTotals();
  stats.responses = responses_.Read();
  for (size_t i = 0; i < kBatchSizesMax; ++i) {
    const Block* block = blocks_[i / kBatchesPerBlock].load(std::memory_order_acquire);
    if (block == nullptr) continue;
    const Batch& batch = (*block)[i % kBatchesPerBlock];
    const DurationStat success = batch.success.Read();
    const DurationStat fail = batch.fail.Read();
    if (success.count + fail.count > 0) {
      const uint64_t queue_ns = batch.queue_ns.load(kRelaxed);
      stats.requests.push_back(
          {.rows = i + 1,
           .success = success,
           .fail = fail,
           .queue = {.count = success.count, .ns = queue_ns},
           .compute = {.count = success.count, .ns = success.ns > queue_ns ? success.ns - queue_ns : 0}});
    }
    const uint64_t count = batch.count.load(kRelaxed);
    if (count == 0) continue;
    stats.batches.push_back({.batch_size = i + 1,
                             .compute_input = {.count = count, .ns = batch.input_ns.load(kRelaxed)},
                             .compute_infer = {.count = count, .ns = batch.infer_ns.load(kRelaxed)},
                             .compute_output = {.count = count, .ns = batch.output_ns.load(kRelaxed)}});
  }
  return stats;
}

void AddRequests(const ModelStatistics& from, ModelStatistics& to) {
  to.inference_count += from.inference_count;
  to.execution_count += from.execution_count;
  for (const ModelStatistics::Requests& requests : from.requests) {
    const auto at = std::ranges::lower_bound(to.requests, requests.rows, {}, &ModelStatistics::Requests::rows);
    if (at == to.requests.end() || at->rows != requests.rows) {
      to.requests.insert(at, requests);
      continue;
    }
    for (const auto duration : {&ModelStatistics::Requests::success, &ModelStatistics::Requests::fail,
                                &ModelStatistics::Requests::queue, &ModelStatistics::Requests::compute}) {
      (*at.*duration).count += (requests.*duration).count;
      (*at.*duration).ns += (requests.*duration).ns;
    }
  }
}

}  // namespace inferd::core
