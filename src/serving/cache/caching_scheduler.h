#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "serving/cache/cache_store.h"
#include "serving/cache/flights.h"
#include "serving/cache/request_key.h"
#include "serving/cache/step_versions.h"
#include "serving/core/scheduler.h"
#include "serving/scheduling/metrics/inference_metrics.h"
#include "serving/scheduling/queue/deadline_watch.h"
#include "serving/scheduling/requests/answer_order.h"

namespace inferd::cache {

// A scheduler whose requests are answered without being queued where an equal one was answered before, and which has
// requests wait for one that is equal and on its way. All others go on to the scheduler that it was given. Thread-safe.
//
// An error is never kept, and answers only the request that got it: what waited for a request that was
// given up goes on as if it had just come, and what waited for one that failed is executed, each by itself.
class CachingScheduler final : public core::Scheduler {
 public:
  struct Parts {
    core::ModelId id;
    std::shared_ptr<const config::ModelConfig> config;
    std::shared_ptr<core::VersionStatistics> statistics;
    std::unique_ptr<scheduling::VersionMetrics> metrics;
    // Names this load of this version, and which of its signatures it is, like no other.
    std::string scope;
    std::unique_ptr<core::Scheduler> scheduler;
  };
  // What all of them share. All outlive them.
  struct Services {
    CacheStore& store;
    const KeySecret& secret;
    const core::SnapshotPublisher& snapshots;
    scheduling::DeadlineWatch& deadlines;
    const base::Clock& clock;
  };
  CachingScheduler(Parts parts, const Services& services);
  ~CachingScheduler() override;

  void Enqueue(core::QueuedRequest&& queued) override;
  core::SchedulerReport Report() const override { return parts_.scheduler->Report(); }
  std::vector<core::BatchRecord> RecentExecutions() const override { return parts_.scheduler->RecentExecutions(); }

 private:
  using FlightPointer = std::shared_ptr<Flights::Flight>;

  void LookUp(core::QueuedRequest&& queued);
  void Lead(core::QueuedRequest&& queued, const RequestKey& key, uint64_t level, int64_t begin_ns);
  void Execute(core::QueuedRequest&& queued, std::shared_ptr<const StoredKey> key, FlightPointer flight,
               int64_t lookup_ns);
  void Answered(core::InferResponse&& response, core::Completion completion, std::shared_ptr<const StoredKey> key,
                const FlightPointer& flight, int64_t lookup_ns);
  std::shared_ptr<const CachedResponse> Keep(const core::InferResponse& response, std::shared_ptr<const StoredKey> key);
  void AnswerFollowers(std::vector<Follower> followers, const CachedResponse* response, base::StatusCode code);
  void AnswerHit(core::QueuedRequest& queued, const CachedResponse& response, int64_t lookup_ns, int64_t queue_ns);
  void RecordMiss(int64_t ns);
  int64_t AnswerGivenUp();

  const Parts parts_;
  const Services services_;
  const bool preserves_order_;
  scheduling::AnswerOrder order_;  // where it is preserved
  StepVersions steps_;
  Flights flights_;
  scheduling::DeadlineWatch::Id watch_;
};

}  // namespace inferd::cache
