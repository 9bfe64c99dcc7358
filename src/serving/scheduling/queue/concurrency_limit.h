#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "config/model/model_config.h"

namespace inferd::scheduling {

// Limits the requests of a model that are in flight to the number beyond which more requests only make all of them late
// (inferd { concurrency }). Adapts by a gradient, as Netflix's concurrency-limits and Envoy's adaptive_concurrency do,
// in windows of at least kSamplesMin responses:
//
//   limit += kSmoothing * (limit * gradient + sqrt(limit) - limit)
//
// For a model that does not batch, the gradient comes from the latency: the median of a window is compared with the
// base, the median without queueing.
//
//   gradient = kTolerance * base / median, within [0.5, 1]
//
// kTolerance is 2: one waiting request per executing one is not too many. So a model that serves c requests at once
// gets about 2 c + sqrt(2 c): it never lacks work, and no request waits for long. The base falls with any faster
// window. If it has held the limit down for kBaseAgeNs, it is measured again: for one window, which starts when the
// earlier requests are answered, only a quarter of the limit is admitted. The same happens at the start.
//
// A model that batches has no such base: few requests make small, quick batches, and large batches take longer although
// nothing queues in excess. Here the gradient comes from the requests that executions leave waiting. Each execution, as
// it begins, records how many requests are executing now, and how many waiting ones did not fit. If it was not full,
// there cannot have been too many waiting.
//
//   gradient = kBatchTolerance * executing / (executing + left), of the window's sums, 0.5 or more
//
// An execution begins when the one before has been answered, and as many requests may arrive while it runs. So where c
// requests are executed at once, in full batches, the limit is about 2 c + 2/3 c. The next batch is then
// full again even if the machine was busy elsewhere for a moment, and hardly any request waits for two batches.
//
// If less than half of the limit is used, it does not grow. Pure: depends only on what the calls pass in. Not
// thread-safe.
class ConcurrencyLimit final {
 public:
  static constexpr double kTolerance = 2;
  static constexpr double kBatchTolerance = 1.5;
  static constexpr double kSmoothing = 0.2;
  static constexpr size_t kSamplesMin = 16;
  static constexpr int64_t kBaseAgeNs = 10'000'000'000;
  static constexpr int64_t kStart = 16;  // the limit before anything is known
  static constexpr int64_t kRetryAfterMsMax = 60'000;

  explicit ConcurrencyLimit(const config::ConcurrencyOptions& options, bool batches = false);

  bool active() const { return max_ > 0; }
  // Returns true if another request may be admitted. `in_flight` does not include it.
  bool Admits(int64_t in_flight) const { return !active() || in_flight < limit(); }
  // Records the response to a request: `latency_ns` since it was enqueued, and the requests in flight then, including
  // itself. `dropped` is true if it expired in the queue. Do not record cancelled or refused requests.
  void Record(int64_t latency_ns, int64_t in_flight, bool dropped, int64_t now_ns);
  // Records the beginning of an execution of a model that batches. `executing` is the number of executing requests,
  // including those of other instances. `left` is the number that waits on because it is full; 0 if it is not full.
  void RecordBatch(int64_t executing, int64_t left);
  // Returns the present limit. 0 if not active.
  int64_t limit() const;
  // Returns when a refused client may retry: the time in which the requests over the limit will be answered.
  int64_t RetryAfterMs(int64_t in_flight) const;

 private:
  enum class Phase { kDraining, kMeasuring, kSteady };

  void StartWindow(int64_t now_ns);
  bool WindowIsOver(int64_t now_ns) const;
  int64_t Median();
  void EndWindow(int64_t now_ns);
  void Adapt(int64_t median_ns, int64_t now_ns);
  double LatencyGradient(int64_t median_ns);
  double BatchGradient() const;

  const bool batches_;
  const int64_t min_;
  const int64_t max_;
  double limit_;
  Phase phase_;
  int64_t base_ns_ = 0;
  int64_t based_ns_ = 0;    // when it was last measured, or did not limit anything
  int64_t latency_ns_ = 0;  // the last median

  // The window.
  int64_t started_ns_ = 0;
  int64_t most_in_flight_ = 0;
  size_t sample_count_ = 0;  // the ring below holds the latest ones
  size_t dropped_count_ = 0;
  int64_t executing_sum_ = 0;  // over the executions that began
  int64_t left_sum_ = 0;
  std::array<int64_t, 64> samples_{};
};

}  // namespace inferd::scheduling
