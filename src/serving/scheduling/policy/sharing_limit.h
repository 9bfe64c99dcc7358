#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/logging.h"
#include "base/mutex.h"
#include "base/status.h"
#include "serving/core/model/model_id.h"
#include "serving/core/model/scheduler_report.h"

namespace inferd::scheduling {

class RepeatedBatch;

// Limits how many requests of a model may share an execution, depending on the share of requests that failed.
// Thread-safe; outlives the executions and the RepeatedBatches.
//
// A failed execution of several requests is repeated, each request alone, so that only the request that caused the
// failure fails. Two rules limit the cost:
//
// 1. A request is executed twice at most.
// 2. If a share p of requests is bad, executions of g requests with their repetitions cost 1/g + 1 - (1-p)^g executions
//    per request. That is lowest near g = 1/sqrt(p) (R. Dorfman, "The Detection of Defective Members of Large
//    Populations", 1943), and about 1 from p = 1/4 on, where every request runs alone. So p is estimated as a mean over
//    about the last kMemory responses, and requests_max() is that g. It rises again as good responses follow.
//
// Batching stops for good, with a warning that says why and what to write into the configuration, if sharing itself is
// shown to be wrong. That is the case if an output does not have the rows of its batch (RecordWrongRows()), or if
// kBlamelessMax executions of several requests failed in a row and each of their requests then succeeded alone.
//
// As long as nothing fails, a response costs one read of a flag.
class SharingLimit final {
 public:
  static constexpr double kMemory = 128;
  static constexpr int kBlamelessMax = 4;

  SharingLimit(core::ModelId model, base::Logger& logger) : model_(std::move(model)), logger_(logger) {}

  // Returns the maximum number of requests per execution. 0 means no limit.
  int64_t requests_max() const { return requests_max_.load(std::memory_order_relaxed); }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  // Returns true if batches may be filled up with extra rows.
  bool may_fill_up() const { return may_fill_up_.load(std::memory_order_relaxed); }

  // Records that one execution answered this many requests. `failed` is true for a single request that failed.
  void RecordAnswers(size_t requests, bool failed) {
    if (watching_.load(std::memory_order_relaxed)) Watch(requests, failed);
  }

  // Records that an execution of several requests failed, and that `requests` of them run again, each alone. They hold
  // the returned object until they are answered.
  std::shared_ptr<RepeatedBatch> RecordFailedBatch(size_t requests, const base::Status& status);

  // Records that an output did not have the rows of its execution: no more sharing, and no more filling up. `why` is a
  // clause, for the log and the report.
  void RecordWrongRows(const std::string& why);

  core::SchedulerReport::Sharing Report() const;

 private:
  friend class RepeatedBatch;

  void Watch(size_t requests, bool failed);
  void RecordRepeated(bool blameless, const std::string& failure);
  void Adapt() REQUIRES(mutex_);
  void Stop(const std::string& why);

  const core::ModelId model_;
  base::Logger& logger_;
  std::atomic<bool> watching_{false};
  std::atomic<bool> stopped_{false};
  std::atomic<bool> may_fill_up_{true};
  std::atomic<int64_t> requests_max_{0};
  mutable base::Mutex mutex_;
  double bad_share_ GUARDED_BY(mutex_) = 0;
  int blameless_ GUARDED_BY(mutex_) = 0;  // in a row
  uint64_t failed_ GUARDED_BY(mutex_) = 0;
  uint64_t repeated_ GUARDED_BY(mutex_) = 0;
  std::string why_stopped_ GUARDED_BY(mutex_);
};

// Counts how the requests of a failed execution end when they run again. Its last holder reports the result to the
// limit. Thread-safe.
class RepeatedBatch final {
 public:
  RepeatedBatch(SharingLimit& limit, size_t requests, std::string failure)
      : limit_(limit), requests_(requests), failure_(std::move(failure)) {}
  ~RepeatedBatch();
  RepeatedBatch(const RepeatedBatch&) = delete;
  RepeatedBatch& operator=(const RepeatedBatch&) = delete;

  void RecordSuccess() { succeeded_.fetch_add(1, std::memory_order_relaxed); }
  // Returns true for the first failure. The limit has already counted that one when the batch failed.
  bool RecordFailure() { return !failed_.exchange(true, std::memory_order_relaxed); }

 private:
  SharingLimit& limit_;
  const size_t requests_;
  const std::string failure_;  // empty if it says nothing about sharing
  std::atomic<size_t> succeeded_{0};
  std::atomic<bool> failed_{false};
};

}  // namespace inferd::scheduling
