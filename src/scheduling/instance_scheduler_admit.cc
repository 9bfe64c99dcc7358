#include <algorithm>
#include <string>
#include <utility>

#include "core/model_version.h"
#include "core/request/request_timeout.h"
#include "scheduling/instance_scheduler.h"

// The part of the InstanceScheduler that says which requests are let in, and answers those that are not or were given
// up.

namespace inferd::scheduling {

namespace {

constexpr int64_t kRetryAfterMsMax = 60'000;

}  // namespace

// Where the request is to wait; an error: it asks for what that level, or the model, does not have.
base::Result<uint64_t> InstanceScheduler::LevelOf(const core::InferRequest& request) const {
  INFERD_ASSIGN_OR_RETURN(const uint64_t level, PriorityLevel(config_, request.priority));
  if (request.timeout_us != 0 && !options_.ignores_barred_timeouts) {
    INFERD_RETURN_IF_ERROR(CheckTimeout(PolicyOf(config_, level), request.timeout_us, config_.name));
  }
  return level;
}

// What would be computed now could not be kept. Models with small outputs go on.
bool InstanceScheduler::LacksRoomForOutputs(const core::QueuedRequest& queued) const {
  if (!outputs_count_.load(std::memory_order_relaxed) || !services_.outputs->nearly_used_up()) return false;
  if (queued.warmup) return false;
  services_.outputs->CountRefusal();
  return true;
}

// Of the last of those that wait and are less urgent; false: nobody is.
bool InstanceScheduler::TakePlace(core::QueuedRequest& queued, uint64_t level, int64_t retry_after_ms) {
  if (!config_.dynamic_batching.has_value() || level >= config_.dynamic_batching->priority_levels) return false;
  std::unique_ptr<QueueEntry> last;
  DroppedEntries dropped;
  {
    base::MutexLock lock(mutex_);
    last = waiting_.TakeLessUrgent(level, services_.clock.NowNs(), dropped);
  }
  // Parts of requests that have failed, too, whose places are free already.
  AnswerDropped(std::move(dropped));
  if (last == nullptr) return false;
  admission_.AdmitInstead(queued);
  parts_.version.statistics->AddPending(-1);
  Shed(last->queued, retry_after_ms);
  return true;
}

void InstanceScheduler::Shed(core::QueuedRequest& queued, int64_t retry_after_ms) {
  Refuse(queued, base::ResourceExhausted("model '" + config_.name + "' has as many requests as it can answer in time"),
         retry_after_ms);
}

void InstanceScheduler::AnswerDropped(DroppedEntries dropped) {
  for (auto& [entry, verdict] : dropped) {
    const bool cancelled = verdict == QueueVerdict::kCancel;
    parts_.version.statistics->AddPending(-1);
    if (entry->queued.Counts(false)) {
      parts_.version.statistics->RecordFailure(
          cancelled ? core::FailureReason::kCanceled : core::FailureReason::kRejected,
          services_.clock.NowNs() - entry->queued.queued_ns);
    }
    if (verdict == QueueVerdict::kNoThread) {
      entry->queued.Fail(base::ResourceExhausted("the system gives the server no further thread, which model '" +
                                                 config_.name + "' needs to be executed"));
      continue;
    }
    entry->queued.Fail(cancelled ? base::Cancelled("the request was cancelled") : core::RequestTimeout());
  }
}

void InstanceScheduler::Refuse(core::QueuedRequest& queued, base::Status status, int64_t retry_after_ms) {
  if (queued.Counts(false)) {
    parts_.version.statistics->RecordFailure(core::FailureReason::kRejected,
                                             services_.clock.NowNs() - queued.queued_ns);
  }
  queued.Fail(std::move(status), retry_after_ms);
}

// How long the queue of a level takes to run empty.
int64_t InstanceScheduler::DrainedAfterMs(uint64_t level) const {
  const double executions = static_cast<double>(waiting_.size_max(level)) / std::max(mean_requests_, 1.0);
  const double drained_ms =
      executions * static_cast<double>(mean_service_ns_) / static_cast<double>(workers_.size()) / 1e6;
  return static_cast<int64_t>(std::clamp(drained_ms, 1.0, static_cast<double>(kRetryAfterMsMax)));
}

}  // namespace inferd::scheduling
