#include "serving/cache/response_cache.h"

#include <atomic>
#include <string>
#include <utility>

#include "config/model/document_fields.h"
#include "serving/cache/caching_scheduler.h"
#include "serving/cache/local_store.h"
#include "serving/cache/redis_store.h"

namespace inferd::cache {

namespace {

// The TTL, in a Redis, of responses that belong to one load of a version: once the load is gone, no server finds them.
constexpr std::chrono::hours kOwnTtl{1};
constexpr size_t kFetchThreads = 2;

base::Status CheckKind(const core::SchedulerParts& version) {
  const char* kind = nullptr;
  if (version.signature->decoupled) kind = "'decoupled' transaction policy";
  if (version.config->sequence_batching.has_value()) kind = "sequence batching scheduler";
  if (kind == nullptr) return base::OkStatus();
  return base::InvalidArgument("Response Cache does not currently support model " + version.id.name + " with " + kind +
                               ". Please disable the response cache.");
}

// Returns the scope of keys. If `shared`, it is the same in all servers. Otherwise it also has a unique number, as
// graph calls share a version and its generation.
std::string ScopeOf(const core::SchedulerParts& version, bool shared) {
  static std::atomic<uint64_t> made{0};
  std::string scope = version.id.name + '/' + std::to_string(version.id.version) + '/' + version.signature->name;
  if (!shared) scope += '/' + std::to_string(version.generation) + '/' + std::to_string(made.fetch_add(1));
  return scope;
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

std::unique_ptr<CacheStore> MakeRedisStore(const config::CacheOptions& options, std::shared_ptr<net::TlsContext> tls,
                                           base::Executor& executor, metrics::Registry& registry,
                                           base::Logger& logger) {
  const bool forever = options.ttl.count() == 0 && !options.shared_name.empty();
  auto store = std::make_unique<RedisStore>(
      RedisLink::Options{
          .target = {.host = options.host, .port = options.port, .tls = std::move(tls), .tls_name = options.tls.name},
          .user = options.user,
          .password = options.password,
          .database = options.database,
          .timeout = options.lookup_timeout,
          .connect_timeout = options.connect_timeout},
      options.ttl.count() == 0 && !forever ? kOwnTtl : options.ttl, executor, logger);
  using Kind = metrics::Registry::CallbackKind;
  const RedisLink& link = store->link();
  registry.AddCallback(Kind::kGauge, "inferd_response_cache_redis_up",
                       "1: the Redis that has kept responses answers in time; 0: models are executed", {},
                       [&link] { return link.up() ? 1.0 : 0.0; });
  registry.AddCallback(Kind::kCounter, "inferd_response_cache_redis_timeouts_total",
                       "Lookups that the Redis did not answer in time", {},
                       [&link] { return static_cast<double>(link.timeouts()); });
  registry.AddCallback(Kind::kCounter, "inferd_response_cache_redis_damaged_total",
                       "Responses in the Redis that were not as they had been written", {},
                       [&kept = *store] { return static_cast<double>(kept.damaged()); });
  return store;
}

}  // namespace

ResponseCache::ResponseCache(const config::CacheOptions& options)
    : shared_(!options.shared_name.empty()),
      secret_(shared_ ? KeySecret(options.shared_name) : KeySecret()),
      pool_(options.store == config::CacheStore::kRedis ? std::make_unique<base::ThreadPool>("cache", kFetchThreads)
                                                        : nullptr) {}

base::Result<std::shared_ptr<net::TlsContext>> ResponseCache::LoadTls(const config::CacheOptions& options) {
  if (options.store != config::CacheStore::kRedis || !options.tls.enabled) return nullptr;
  auto loaded = net::TlsContext::LoadClient({.ca_file = options.tls.ca_file,
                                             .ca_folder = options.tls.ca_folder,
                                             .certificate_file = options.tls.certificate_file,
                                             .key_file = options.tls.key_file});
  if (!loaded.has_value()) return std::unexpected(loaded.error().WithContext("--cache-config=redis"));
  return loaded;
}

std::unique_ptr<ResponseCache> ResponseCache::Make(const config::CacheOptions& options,
                                                   std::shared_ptr<net::TlsContext> tls, const base::Clock& clock,
                                                   metrics::Registry& registry, base::Logger& logger) {
  if (options.store == config::CacheStore::kNone) return nullptr;
  std::unique_ptr<ResponseCache> cache(new ResponseCache(options));
  cache->store_ = options.store == config::CacheStore::kLocal
                      ? MakeLocalStore(options, clock, registry)
                      : MakeRedisStore(options, std::move(tls), *cache->pool_, registry, logger);
  return cache;
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
        .scope = ScopeOf(version, shared_),
        .scheduler = nullptr};
    INFERD_ASSIGN_OR_RETURN(parts.scheduler, made(std::move(version)));
    return std::make_unique<CachingScheduler>(std::move(parts),
                                              CachingScheduler::Services{.store = *store_,
                                                                         .secret = secret_,
                                                                         .snapshots = services.snapshots,
                                                                         .deadlines = services.deadlines,
                                                                         .clock = services.clock,
                                                                         .logger = services.logger});
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
