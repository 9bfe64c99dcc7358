#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "config/model/model_config.h"

namespace inferd::scheduling {

// How many requests of a model may be in flight before more of them only make all of them late (inferd { concurrency
// }). Adapted by a gradient, as in Netflix's concurrency-limits and Envoy's adaptive_concurrency, in windows of
// kSamplesMin answers or more:
//
//   limit += kSmoothing * (limit * gradient + sqrt(limit) - limit)
//
// A model that does not batch is watched by its latency: the median of a window is held against the base, the median
// without queueing.
//
//   gradient = kTolerance * base / median, within [0.5, 1]
//
// kTolerance is 2: one that waits behind one that is executed is not too many. So of a model that serves c requests at
// once, about 2 c + sqrt(2 c) are let in: it is never short of work, and nobody waits for long. The base falls with any
// window that is faster. When it has held the limit down for kBaseAgeNs it is measured anew: a quarter of the limit is
// let in for one window, which starts when those before are answered. The same happens at the start.
//
// A model that batches has no such base: few requests make small batches, which are quick, and large ones take longer
// with nobody in excess. It is watched by what its executions leave behind. Each is asked, as it begins, how many are
// executed now, and how many of those that wait did not fit; what did not fill it could not have had too many waiting.
//
//   gradient = kBatchTolerance * executing / (executing + left), of the window's sums, 0.5 or more
//
// An execution begins when the one before has been answered, and as many may come in while it runs. So where c requests
// are executed at once, in full batches, about 2 c and two thirds of c are let in: the next batch is full again, even
// if the machine was elsewhere for a moment, and hardly anybody waits for two of them.
//
// Where less than half of the limit is used, it does not grow. A pure function of what it is told; not thread-safe.
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
  // `in_flight`: without the one that asks.
  bool Admits(int64_t in_flight) const { return !active() || in_flight < limit(); }
  // A request was answered: `latency_ns` after it was enqueued, with so many in flight then, itself included.
  // `dropped`: it expired in the queue. Those that were cancelled or refused are not to be told.
  void Record(int64_t latency_ns, int64_t in_flight, bool dropped, int64_t now_ns);
  // An execution of a model that batches begins. `executing`: requests, those of other instances included. `left`:
  // those that wait on because it is full; 0: it is not.
  void RecordBatch(int64_t executing, int64_t left);
  // What is let in now; 0: not active.
  int64_t limit() const;
  // When a refused client may try again: as long as the ones over the limit take to be answered.
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
  int64_t based_ns_ = 0;    // when it was last measured, or was of no consequence
  int64_t latency_ns_ = 0;  // the last median

  // The window.
  int64_t started_ns_ = 0;
  int64_t most_in_flight_ = 0;
  size_t sample_count_ = 0;  // the ring below has the latest of them
  size_t dropped_count_ = 0;
  int64_t executing_sum_ = 0;  // over the executions that began
  int64_t left_sum_ = 0;
  std::array<int64_t, 64> samples_{};
};

}  // namespace inferd::scheduling
