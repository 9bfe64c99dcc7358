#include "serving/scheduling/queue/admission.h"

#include <algorithm>
#include <utility>

namespace inferd::scheduling {

Admission::Admission(const config::ConcurrencyOptions& options, const base::Clock& clock, bool batches)
    : options_(options), clock_(clock), active_(options.max > 0), limit_(options, batches) {}

int64_t Admission::Admit(core::QueuedRequest& queued) {
  if (!active_) return 0;
  {
    base::MutexLock lock(mutex_);
    if (!limit_.Admits(in_flight_)) {
      ++shed_;
      return std::max<int64_t>(limit_.RetryAfterMs(in_flight_), 1);
    }
    ++in_flight_;
  }
  CountUntilAnswered(queued);
  return 0;
}

void Admission::AdmitInstead(core::QueuedRequest& queued) {
  {
    base::MutexLock lock(mutex_);
    ++in_flight_;
  }
  CountUntilAnswered(queued);
}

void Admission::CountUntilAnswered(core::QueuedRequest& queued) {
  // The answering thread holds the version, and so this object.
  queued.completion = core::Completion([this, queued_ns = queued.queued_ns, completion = std::move(queued.completion)](
                                           core::InferResponse response) mutable {
    if (response.final) Answered(queued_ns, response.status.code());
    completion.Send(std::move(response));
  });
}

void Admission::Answered(int64_t queued_ns, base::StatusCode code) {
  const int64_t now_ns = clock_.NowNs();
  base::MutexLock lock(mutex_);
  const int64_t in_flight = in_flight_--;
  // These codes say nothing about how long requests take.
  if (code == base::StatusCode::kCancelled || code == base::StatusCode::kResourceExhausted) return;
  limit_.Record(now_ns - queued_ns, in_flight, code == base::StatusCode::kDeadlineExceeded, now_ns);
}

void Admission::RecordBatch(int64_t executing, int64_t left) {
  if (!active_) return;
  base::MutexLock lock(mutex_);
  limit_.RecordBatch(executing, left);
}

core::SchedulerReport::Concurrency Admission::Report() const {
  base::MutexLock lock(mutex_);
  return {.limit = limit_.limit(),
          .min = static_cast<int64_t>(options_.min),
          .max = static_cast<int64_t>(options_.max),
          .in_flight = in_flight_,
          .shed = shed_};
}

}  // namespace inferd::scheduling
