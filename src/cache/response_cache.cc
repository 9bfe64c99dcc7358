#include "cache/response_cache.h"

#include <atomic>
#include <string>
#include <utility>

#include "cache/caching_scheduler.h"
#include "cache/local_store.h"
#include "config/model/response_cache.h"

namespace inferd::cache {

namespace {

base::Status CheckKind(const core::SchedulerParts& version) {
  const char* kind = nullptr;
  if (version.signature->decoupled) kind = "'decoupled' transaction policy";
  if (version.config->sequence_batching.has_value()) kind = "sequence batching scheduler";
  if (kind == nullptr) return base::OkStatus();
  return base::InvalidArgument("Response Cache does not currently support model " + version.id.name + " with " + kind +
                               ". Please disable the response cache.");
}

// Besides what it is of, a number of its own: graph calls share a version and its generation.
std::string ScopeOf(const core::SchedulerParts& version) {
  static std::atomic<uint64_t> made{0};
  return version.id.name + '/' + std::to_string(version.id.version) + '/' + std::to_string(version.generation) + '/' +
         version.signature->name + '/' + std::to_string(made.fetch_add(1));
}

std::unique_ptr<CacheStore> MakeLocalStore(const config::CacheOptions& options, const base::Clock& clock,
                                           metrics::Registry& registry) {
  auto store = std::make_unique<LocalStore>(
      LocalStore::Options{.bytes_max = options.bytes_max,
                          .ttl_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(options.ttl).count()},
      clock);
  using Kind = metrics::Registry::CallbackKind;
  const LocalStore& figures = *store;
  registry.AddCallback(Kind::kGauge, "inferd_response_cache_bytes", "Memory that kept responses take", {},
                       [&figures] { return static_cast<double>(figures.figures().bytes); });
  registry.AddCallback(Kind::kGauge, "inferd_response_cache_entries", "Responses that are kept", {},
                       [&figures] { return static_cast<double>(figures.figures().entries); });
  registry.AddCallback(Kind::kCounter, "inferd_response_cache_evictions_total",
                       "Responses that were dropped to make room for others", {},
                       [&figures] { return static_cast<double>(figures.figures().evictions); });
  return store;
}

}  // namespace

std::unique_ptr<ResponseCache> ResponseCache::Make(const config::CacheOptions& options, const base::Clock& clock,
                                                   metrics::Registry& registry) {
  switch (options.store) {
    case config::CacheStore::kLocal:
      return std::unique_ptr<ResponseCache>(new ResponseCache(MakeLocalStore(options, clock, registry)));
    case config::CacheStore::kRedis:
    case config::CacheStore::kNone: break;
  }
  return nullptr;
}

core::SchedulerFactory ResponseCache::Wrap(core::SchedulerFactory made, const Services& services) {
  return [this, made = std::move(made),
          services](core::SchedulerParts version) -> base::Result<std::unique_ptr<core::Scheduler>> {
    if (!config::WantsResponseCache(*version.config)) return made(std::move(version));
    INFERD_RETURN_IF_ERROR(CheckKind(version));
    CachingScheduler::Parts parts{
        .id = version.id,
        .config = version.config,
        .statistics = version.statistics,
        .metrics = services.metrics.Add(version.id, version.config->metric_tags, version.statistics),
        .scope = ScopeOf(version),
        .scheduler = nullptr};
    INFERD_ASSIGN_OR_RETURN(parts.scheduler, made(std::move(version)));
    return std::make_unique<CachingScheduler>(std::move(parts),
                                              CachingScheduler::Services{.store = *store_,
                                                                         .secret = secret_,
                                                                         .snapshots = services.snapshots,
                                                                         .deadlines = services.deadlines,
                                                                         .clock = services.clock});
  };
}

core::SchedulerFactory MakeUncachedFactory(core::SchedulerFactory made, base::Logger& logger) {
  return [made = std::move(made), &logger](core::SchedulerParts version) {
    if (config::WantsResponseCache(*version.config)) {
      logger.Warning("responses are not kept: the server has no response cache (--cache-config)",
                     {{"model", version.id.name}, {"version", version.id.version}});
    }
    return made(std::move(version));
  };
}

}  // namespace inferd::cache
