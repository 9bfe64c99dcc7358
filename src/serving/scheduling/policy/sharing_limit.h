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

// How many requests of a model may share an execution, in the light of those that failed. Thread-safe; outlives the
// executions and the RepeatedBatches.
//
// An execution of several requests that fails is repeated, each request alone, so that a failure is the answer only of
// the request that earned it. Two things bound what that costs:
//
// 1. A request is executed twice at most.
// 2. With a share p of bad requests, executions of g requests and what is repeated of them are 1/g + 1 - (1-p)^g
//    executions per request. That is least near g = 1/sqrt(p) (R. Dorfman, "The Detection of Defective Members of Large
//    Populations", 1943), and about 1 from p = 1/4 on, where every request runs alone. So p is estimated, as a mean
//    over the last kMemory answers or so, and requests_max() is that g. It rises again as good answers follow.
//
// Batching ends for good, with a warning that says why and what to write into the configuration, where sharing itself
// is shown to be wrong: an output does not have the rows of its batch (RecordWrongRows()), or kBlamelessMax executions
// of several requests in a row failed, and each of their requests succeeded alone.
//
// As long as nothing fails, this costs an answer one read of a flag.
class SharingLimit final {
 public:
  static constexpr double kMemory = 128;
  static constexpr int kBlamelessMax = 4;

  SharingLimit(core::ModelId model, base::Logger& logger) : model_(std::move(model)), logger_(logger) {}

  // 0: any number.
  int64_t requests_max() const { return requests_max_.load(std::memory_order_relaxed); }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  // Whether executions may have rows that only fill them up.
  bool may_fill_up() const { return may_fill_up_.load(std::memory_order_relaxed); }

  // So many requests have got their answers from one execution; `failed`: that was one request, and it failed.
  void RecordAnswers(size_t requests, bool failed) {
    if (watching_.load(std::memory_order_relaxed)) Watch(requests, failed);
  }

  // An execution of several requests failed, `requests` of which run once more, each alone: what they hold till their
  // answers are out.
  std::shared_ptr<RepeatedBatch> RecordFailedBatch(size_t requests, const base::Status& status);

  // An output did not have the rows of its execution: nothing shares one any more, nor fills one up. `why`: a clause,
  // for the log and the report.
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

// What the requests of a failed execution have in common while they are repeated; the last one that lets go of it tells
// the limit how they fared. Thread-safe.
class RepeatedBatch final {
 public:
  RepeatedBatch(SharingLimit& limit, size_t requests, std::string failure)
      : limit_(limit), requests_(requests), failure_(std::move(failure)) {}
  ~RepeatedBatch();
  RepeatedBatch(const RepeatedBatch&) = delete;
  RepeatedBatch& operator=(const RepeatedBatch&) = delete;

  void RecordSuccess() { succeeded_.fetch_add(1, std::memory_order_relaxed); }
  // True: the first. The limit has heard of that one when the batch failed.
  bool RecordFailure() { return !failed_.exchange(true, std::memory_order_relaxed); }

 private:
  SharingLimit& limit_;
  const size_t requests_;
  const std::string failure_;  // empty: it says nothing about sharing
  std::atomic<size_t> succeeded_{0};
  std::atomic<bool> failed_{false};
};

}  // namespace inferd::scheduling
