#pragma once

#include <cstdint>

#include "base/clock.h"
#include "base/mutex.h"
#include "serving/core/scheduler.h"
#include "serving/scheduling/queue/concurrency_limit.h"

namespace inferd::scheduling {

// Holds a model's requests against its adaptive limit (inferd { concurrency }), and tells the limit how they fare.
// Costs nothing where there is no limit. Thread-safe; outlives the requests that it admitted.
class Admission final {
 public:
  Admission(const config::ConcurrencyOptions& options, const base::Clock& clock, bool batches = false);

  bool active() const { return active_; }
  // 0: the request is in, and counts until its final answer. Else: the limit is reached, try again after so many ms.
  int64_t Admit(core::QueuedRequest& queued);
  // Lets in a request that Admit() did not, in place of one that it did and that is to be refused: it has counted one
  // as shed.
  void AdmitInstead(core::QueuedRequest& queued);
  // ConcurrencyLimit's.
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
