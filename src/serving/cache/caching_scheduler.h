#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/logging.h"
#include "serving/cache/cache_store.h"
#include "serving/cache/flights.h"
#include "serving/cache/request_key.h"
#include "serving/cache/step_versions.h"
#include "serving/core/scheduler.h"
#include "serving/scheduling/metrics/inference_metrics.h"
#include "serving/scheduling/queue/deadline_watch.h"
#include "serving/scheduling/requests/answer_order.h"

namespace inferd::cache {

// A scheduler that answers a request from the response cache if an equal one was answered before. If an equal request
// is in flight, the request waits for its response. All other requests go to the inner scheduler. Thread-safe.
//
// Errors are never stored, and answer only their own request. If the leading request was cancelled or timed out, its
// followers start again, as if they had just arrived. If it failed, each follower is executed by itself.
class CachingScheduler final : public core::Scheduler {
 public:
  struct Parts {
    core::ModelId id;
    std::shared_ptr<const config::ModelConfig> config;
    std::shared_ptr<core::VersionStatistics> statistics;
    std::unique_ptr<scheduling::VersionMetrics> metrics;
    // A unique name of this load of this version, and of the signature.
    std::string scope;
    std::unique_ptr<core::Scheduler> scheduler;
  };
  // The services that all these schedulers share. They outlive the schedulers.
  struct Services {
    CacheStore& store;
    const KeySecret& secret;
    const core::SnapshotPublisher& snapshots;
    scheduling::DeadlineWatch& deadlines;
    const base::Clock& clock;
    base::Logger& logger;
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
  // Logs that a request, or its response with it, is too large to be kept: once for each load of a version.
  void NoteTooLarge(std::string_view what, size_t bytes);
  int64_t AnswerGivenUp();

  const Parts parts_;
  const Services services_;
  const bool preserves_order_;
  scheduling::AnswerOrder order_;  // only used if the order is preserved
  StepVersions steps_;
  Flights flights_;
  std::atomic<bool> noted_too_large_ = false;
  scheduling::DeadlineWatch::Id watch_;
};

}  // namespace inferd::cache
