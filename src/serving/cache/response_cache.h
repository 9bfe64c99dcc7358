#pragma once

#include <memory>

#include "base/clock.h"
#include "base/logging.h"
#include "base/metrics/registry.h"
#include "base/status.h"
#include "base/thread_pool.h"
#include "config/options/cache_options.h"
#include "net/tls.h"
#include "serving/cache/cache_store.h"
#include "serving/cache/request_key.h"
#include "serving/core/scheduler.h"
#include "serving/core/snapshot_publisher.h"
#include "serving/scheduling/metrics/inference_metrics.h"
#include "serving/scheduling/queue/deadline_watch.h"

namespace inferd::cache {

// The server's response cache. Thread-safe; outlives every scheduler.
class ResponseCache final {
 public:
  // What it shows and trusts where its Redis is reached by TLS; null: it is not. INVALID_ARGUMENT names the file.
  static base::Result<std::shared_ptr<net::TlsContext>> LoadTls(const config::CacheOptions& options);

  // Null: the options name none. `tls`: LoadTls. All but the options outlive it.
  static std::unique_ptr<ResponseCache> Make(const config::CacheOptions& options, std::shared_ptr<net::TlsContext> tls,
                                             const base::Clock& clock, metrics::Registry& registry,
                                             base::Logger& logger);

  // What its schedulers share. All outlive them.
  struct Services {
    const core::SnapshotPublisher& snapshots;
    scheduling::DeadlineWatch& deadlines;
    const base::Clock& clock;
    scheduling::InferenceMetrics& metrics;
  };
  // A factory that makes what `made` makes, as a CachingScheduler where the configuration wants a response cache.
  // INVALID_ARGUMENT: the model is one whose responses cannot be kept.
  core::SchedulerFactory Wrap(core::SchedulerFactory made, const Services& services);

 private:
  explicit ResponseCache(const config::CacheOptions& options);

  const bool shared_;  // by servers
  const KeySecret secret_;
  const std::unique_ptr<base::ThreadPool> pool_;  // what goes on when a fetch is over; null: nothing is fetched
  std::unique_ptr<CacheStore> store_;
};

// Where there is none: a model whose configuration wants one is made as ever, and the log says so.
core::SchedulerFactory MakeUncachedFactory(core::SchedulerFactory made, base::Logger& logger);

}  // namespace inferd::cache
