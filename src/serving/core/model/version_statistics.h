#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "serving/core/model/catalog.h"
#include "serving/core/model/duration_count.h"
#include "serving/core/model/response_statistics.h"

namespace inferd::core {

// Why a request got an error, as nv_inference_request_failure tells them apart: refused before the engine saw it
// (queue full, deadline passed), given up by its client, failed by the engine, anything else.
enum class FailureReason { kRejected, kCanceled, kBackend, kOther };
inline constexpr size_t kFailureReasons = 4;

// Where an executed request's time went, in nanoseconds.
struct PhaseTimes {
  int64_t queue_ns = 0;
  int64_t compute_input_ns = 0;
  int64_t compute_infer_ns = 0;
  int64_t compute_output_ns = 0;
};

// What one load of one version has done since it was loaded. Thread-safe: relaxed atomics, so that a reader may see a
// request in one number and not yet in another. No lock; batch sizes past kBatchSizesMax are counted in all but the
// batch table.
class VersionStatistics final {
 public:
  static constexpr size_t kBatchSizesMax = 4096;

  VersionStatistics() = default;
  ~VersionStatistics();
  VersionStatistics(const VersionStatistics&) = delete;
  VersionStatistics& operator=(const VersionStatistics&) = delete;

  // Requests that were answered OK: their times together, from when each was accepted. `wall_ms` since the epoch.
  void RecordSuccess(int64_t total_ns, const PhaseTimes& phases, int64_t wall_ms, uint64_t requests = 1);
  // Each of them besides, by the rows that it brought; `queue_ns`: what it waited of its time.
  void RecordRequest(int64_t rows, int64_t total_ns, int64_t queue_ns);
  void RecordFailure(FailureReason reason, int64_t total_ns, int64_t rows = 1);
  // Told of every failure, on whatever thread records it. Set before the version serves.
  using FailureObserver = std::function<void(FailureReason reason, int64_t total_ns)>;
  void SetFailureObserver(FailureObserver observer) { failure_observer_ = std::move(observer); }
  // One engine call over `rows` rows of the batch dimension (1 where there is none). The call had `idle_rows` more, of
  // sequences without a request: they count for the size of the batch, and are no inferences.
  void RecordExecution(int64_t rows, const PhaseTimes& phases, int64_t idle_rows = 0);

  // A request that was answered OK with a kept response: a success without an execution. `lookup_ns`: what finding the
  // response took.
  void RecordCacheHit(int64_t total_ns, int64_t queue_ns, int64_t lookup_ns, int64_t wall_ms);
  // A request that had to be executed: what looking for a response, and keeping the one that it got, took.
  void RecordCacheMiss(int64_t ns) { cache_miss_.Add(ns); }

  // Of a version whose requests may have any number of responses.
  ResponseStatistics& responses() { return responses_; }

  void AddPending(int64_t n) { pending_.fetch_add(n, std::memory_order_relaxed); }
  void AddInlineExecution() { inline_executions_.fetch_add(1, std::memory_order_relaxed); }
  // An input's memory did not suit the engine and was copied.
  void AddInputCopy() { input_copies_.fetch_add(1, std::memory_order_relaxed); }

  // All but name and version; Totals: without the batch table.
  ModelStatistics Read() const;
  ModelStatistics ReadTotals() const;
  uint64_t failures(FailureReason reason) const {
    return failures_[static_cast<size_t>(reason)].load(std::memory_order_relaxed);
  }
  int64_t pending() const { return pending_.load(std::memory_order_relaxed); }
  uint64_t inline_executions() const { return inline_executions_.load(std::memory_order_relaxed); }
  uint64_t input_copies() const { return input_copies_.load(std::memory_order_relaxed); }

 private:
  using Number = std::atomic<uint64_t>;
  // Of one number of rows: executions, and requests.
  struct Batch {
    Number count{0};
    Number input_ns{0};
    Number infer_ns{0};
    Number output_ns{0};
    DurationCount success;
    Number queue_ns{0};
    DurationCount fail;
  };
  // Batch sizes come in runs, so that a model that only ever sees batches of one costs one small block.
  static constexpr size_t kBatchesPerBlock = 64;
  using Block = std::array<Batch, kBatchesPerBlock>;
  Batch* BatchOf(int64_t rows);

  FailureObserver failure_observer_;
  DurationCount success_, fail_;
  DurationCount cache_hit_, cache_miss_;
  Number queue_ns_{0};          // of as many requests as succeeded
  Number compute_input_ns_{0};  // of as many as succeeded without the cache, like those below
  Number compute_infer_ns_{0};
  Number compute_output_ns_{0};
  std::array<Number, kFailureReasons> failures_{};
  Number inferences_{0};
  Number executions_{0};
  Number inline_executions_{0};
  Number input_copies_{0};
  std::atomic<int64_t> pending_{0};
  std::atomic<int64_t> last_inference_ms_{0};
  std::array<std::atomic<Block*>, kBatchSizesMax / kBatchesPerBlock> blocks_{};
  ResponseStatistics responses_;
};

// Adds executions, rows, and requests by their rows. All else in `to` stays.
void AddRequests(const ModelStatistics& from, ModelStatistics& to);

}  // namespace inferd::core
