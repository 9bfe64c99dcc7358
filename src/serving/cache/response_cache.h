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
  // Loads the certificates for a Redis that is reached by TLS. Null if none is. INVALID_ARGUMENT names the file.
  static base::Result<std::shared_ptr<net::TlsContext>> LoadTls(const config::CacheOptions& options);

  // Makes the cache. Null if the options name none. `tls` is from LoadTls(). Everything except the options outlives it.
  static std::unique_ptr<ResponseCache> Make(const config::CacheOptions& options, std::shared_ptr<net::TlsContext> tls,
                                             const base::Clock& clock, metrics::Registry& registry,
                                             base::Logger& logger);

  // The services that its schedulers share. They outlive the schedulers.
  struct Services {
    const core::SnapshotPublisher& snapshots;
    scheduling::DeadlineWatch& deadlines;
    const base::Clock& clock;
    scheduling::InferenceMetrics& metrics;
    base::Logger& logger;
  };
  // Returns a factory that wraps the schedulers of `made` in a CachingScheduler if the model's configuration wants a
  // response cache. INVALID_ARGUMENT if the model's responses cannot be stored.
  core::SchedulerFactory Wrap(core::SchedulerFactory made, const Services& services);

 private:
  explicit ResponseCache(const config::CacheOptions& options);

  const bool shared_;  // servers share the entries
  const KeySecret secret_;
  const std::unique_ptr<base::ThreadPool> pool_;  // continues after a fetch; null if nothing is fetched
  std::unique_ptr<CacheStore> store_;
};

// For a server without a cache: a model that wants one gets its scheduler unchanged, and the log says so.
core::SchedulerFactory MakeUncachedFactory(core::SchedulerFactory made, base::Logger& logger);

}  // namespace inferd::cache
