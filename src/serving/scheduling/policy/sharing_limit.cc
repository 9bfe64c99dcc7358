#include "serving/scheduling/policy/sharing_limit.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace inferd::scheduling {

namespace {

// Below this share, the limit would exceed any real batch.
constexpr double kForgottenShare = 1e-6;

}  // namespace

std::shared_ptr<RepeatedBatch> SharingLimit::RecordFailedBatch(size_t requests, const base::Status& status) {
  {
    base::MutexLock lock(mutex_);
    ++failed_;
    repeated_ += requests;
    // At least one of them is bad.
    bad_share_ += (1 - bad_share_) / kMemory;
    Adapt();
  }
  // Requests may lack resources together now, although each alone does not.
  const bool counts = status.code() != base::StatusCode::kResourceExhausted;
  return std::make_shared<RepeatedBatch>(*this, requests, counts ? status.message() : std::string());
}

void SharingLimit::Watch(size_t requests, bool failed) {
  base::MutexLock lock(mutex_);
  if (requests > 1) blameless_ = 0;
  if (failed) {
    bad_share_ += (1 - bad_share_) / kMemory;
  } else {
    bad_share_ *= std::pow(1 - 1 / kMemory, static_cast<double>(requests));
  }
  Adapt();
}

void SharingLimit::Adapt() {
  if (bad_share_ < kForgottenShare) bad_share_ = 0;
  const bool any = bad_share_ == 0;
  watching_.store(!any, std::memory_order_relaxed);
  if (stopped()) return;
  const int64_t requests = any ? 0 : std::max<int64_t>(static_cast<int64_t>(1 / std::sqrt(bad_share_)), 1);
  requests_max_.store(requests, std::memory_order_relaxed);
}

void SharingLimit::RecordRepeated(bool blameless, const std::string& failure) {
  {
    base::MutexLock lock(mutex_);
    blameless_ = blameless ? blameless_ + 1 : 0;
    if (blameless_ < kBlamelessMax) return;
  }
  Stop("executions of several requests failed where each request alone succeeded: " + failure);
}

void SharingLimit::RecordWrongRows(const std::string& why) {
  may_fill_up_.store(false, std::memory_order_relaxed);
  Stop(why);
}

void SharingLimit::Stop(const std::string& why) {
  {
    base::MutexLock lock(mutex_);
    if (stopped_.exchange(true, std::memory_order_relaxed)) return;
    requests_max_.store(1, std::memory_order_relaxed);
    why_stopped_ = why;
  }
  logger_.Warning(
      "batching stops: the model's requests share no executions any more, until it is loaded again. If its "
      "rows depend on each other, write inferd { batching: OFF } into its config.pbtxt",
      {{"model", model_.name}, {"version", model_.version}, {"reason", why}});
}

core::SchedulerReport::Sharing SharingLimit::Report() const {
  base::MutexLock lock(mutex_);
  return {.failed = failed_,
          .repeated = repeated_,
          .requests_max = requests_max_.load(std::memory_order_relaxed),
          .stopped = why_stopped_};
}

RepeatedBatch::~RepeatedBatch() {
  const bool failed = failed_.load(std::memory_order_relaxed);
  const bool all_succeeded = succeeded_.load(std::memory_order_relaxed) == requests_;
  // The results of cancelled requests are unknown.
  if (failure_.empty() || (!failed && !all_succeeded)) return;
  limit_.RecordRepeated(all_succeeded, failure_);
}

}  // namespace inferd::scheduling
