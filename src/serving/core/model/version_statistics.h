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

// The reason for a failed request, as nv_inference_request_failure distinguishes them: refused before the engine saw it
// (queue full, deadline passed), cancelled by its client, failed by the engine, anything else.
enum class FailureReason { kRejected, kCanceled, kBackend, kOther };
inline constexpr size_t kFailureReasons = 4;

// The phases of an executed request, in nanoseconds.
struct PhaseTimes {
  int64_t queue_ns = 0;
  int64_t compute_input_ns = 0;
  int64_t compute_infer_ns = 0;
  int64_t compute_output_ns = 0;
};

// The counts of one load of one version. Thread-safe: relaxed atomics, so a reader may see a request in one number
// before it is in another. No lock. Batch sizes above kBatchSizesMax are counted everywhere except in the batch table.
class VersionStatistics final {
 public:
  static constexpr size_t kBatchSizesMax = 4096;

  VersionStatistics() = default;
  ~VersionStatistics();
  VersionStatistics(const VersionStatistics&) = delete;
  VersionStatistics& operator=(const VersionStatistics&) = delete;

  // Counts requests that were answered OK. Times are sums over these requests; `total_ns` begins when each was
  // accepted. `wall_ms` is since the epoch.
  void RecordSuccess(int64_t total_ns, const PhaseTimes& phases, int64_t wall_ms, uint64_t requests = 1);
  // Counts one of these requests by its rows, in addition. `queue_ns` is the part of its time that it waited.
  void RecordRequest(int64_t rows, int64_t total_ns, int64_t queue_ns);
  void RecordFailure(FailureReason reason, int64_t total_ns, int64_t rows = 1);
  // Called for every failure, on the thread that records it. Set it before the version serves.
  using FailureObserver = std::function<void(FailureReason reason, int64_t total_ns)>;
  void SetFailureObserver(FailureObserver observer) { failure_observer_ = std::move(observer); }
  // Counts one engine call with `rows` rows of the batch dimension (1 if there is none). `idle_rows` are further rows,
  // of sequences without a request: they count for the batch size, but not as inferences.
  void RecordExecution(int64_t rows, const PhaseTimes& phases, int64_t idle_rows = 0);

  // Counts a request that was answered OK from the response cache: a success without an execution. `lookup_ns` is the
  // time of the lookup.
  void RecordCacheHit(int64_t total_ns, int64_t queue_ns, int64_t lookup_ns, int64_t wall_ms);
  // Counts a request that the cache did not have. `ns` is the time of the lookup and of storing the response.
  void RecordCacheMiss(int64_t ns) { cache_miss_.Add(ns); }

  // Only of a version whose requests may have any number of responses.
  ResponseStatistics& responses() { return responses_; }

  void AddPending(int64_t n) { pending_.fetch_add(n, std::memory_order_relaxed); }
  void AddInlineExecution() { inline_executions_.fetch_add(1, std::memory_order_relaxed); }
  // Counts an input that was copied because its memory did not suit the engine.
  void AddInputCopy() { input_copies_.fetch_add(1, std::memory_order_relaxed); }

  // Return everything except name and version. ReadTotals() leaves the batch table out.
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
  // The executions and requests with one number of rows.
  struct Batch {
    Number count{0};
    Number input_ns{0};
    Number infer_ns{0};
    Number output_ns{0};
    DurationCount success;
    Number queue_ns{0};
    DurationCount fail;
  };
  // Batch sizes cluster, so a model that only ever has batches of one needs a single small block.
  static constexpr size_t kBatchesPerBlock = 64;
  using Block = std::array<Batch, kBatchesPerBlock>;
  Batch* BatchOf(int64_t rows);

  FailureObserver failure_observer_;
  DurationCount success_, fail_;
  DurationCount cache_hit_, cache_miss_;
  Number queue_ns_{0};          // sum over the successful requests
  Number compute_input_ns_{0};  // sum over the successful requests that were executed, as below
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

// Adds the executions, the rows, and the requests by rows of `from` to `to`. The rest of `to` stays unchanged.
void AddRequests(const ModelStatistics& from, ModelStatistics& to);

}  // namespace inferd::core
