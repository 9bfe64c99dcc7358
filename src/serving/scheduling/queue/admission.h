#pragma once

#include <cstdint>

#include "base/clock.h"
#include "base/mutex.h"
#include "serving/core/scheduler.h"
#include "serving/scheduling/queue/concurrency_limit.h"

namespace inferd::scheduling {

// Applies a model's adaptive limit (inferd { concurrency }) to its requests, and feeds their latencies back into the
// limit. Costs nothing if there is no limit. Thread-safe; outlives the requests that it admitted.
class Admission final {
 public:
  Admission(const config::ConcurrencyOptions& options, const base::Clock& clock, bool batches = false);

  bool active() const { return active_; }
  // Admits a request, which counts until its final response, and returns 0. If the limit is reached, returns the
  // milliseconds after which to retry.
  int64_t Admit(core::QueuedRequest& queued);
  // Admits a request that Admit() refused, in place of an admitted one, which the caller must refuse. Admit() has
  // already counted one request as shed.
  void AdmitInstead(core::QueuedRequest& queued);
  // As ConcurrencyLimit::RecordBatch().
  void RecordBatch(int64_t executing, int64_t left);

  core::SchedulerReport::Concurrency Report() const;

 private:
  void CountUntilAnswered(core::QueuedRequest& queued);
  void Answered(int64_t queued_ns, base::StatusCode code);

  const config::ConcurrencyOptions options_;
  const base::Clock& clock_;
  const bool active_;
  mutable base::Mutex mutex_;
  ConcurrencyLimit limit_ GUARDED_BY(mutex_);
  int64_t in_flight_ GUARDED_BY(mutex_) = 0;
  uint64_t shed_ GUARDED_BY(mutex_) = 0;
};

}  // namespace inferd::scheduling
