#include <algorithm>

#include "config/option_table/option_field.h"
#include "config/option_table/option_rows.h"

namespace inferd::config {
namespace {

using S = ServerOptions;

constexpr std::string_view kScheduling = "Scheduling";
constexpr std::string_view kRateLimit = "off|execution_count";
// The number of cores of a cpu_set_t.
constexpr int64_t kCoresMax = 1024;

base::Status SetRateLimit(ServerOptions& options, std::string_view text) {
  INFERD_ASSIGN_OR_RETURN(options.resources.rate_limit, ParseChoice<bool>(kRateLimit, text));
  return base::OkStatus();
}

std::string PrintRateLimit(ServerOptions& options) {
  return PrintChoice(kRateLimit, options.resources.rate_limit ? 1 : 0);
}

// Parses NAME:COUNT[:DEVICE].
base::Status AddResourceLimit(ServerOptions& options, std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0) {
    return base::InvalidArgument("expected NAME:COUNT[:DEVICE], got '" + std::string(text) + "'");
  }
  const std::string_view rest = text.substr(colon + 1);
  const size_t second = rest.find(':');
  ResourceLimit limit{.name = std::string(text.substr(0, colon))};
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  INFERD_ASSIGN_OR_RETURN(const int64_t count, ParseInteger(rest.substr(0, second), 0, kMax));
  limit.count = static_cast<uint32_t>(count);
  if (second != std::string_view::npos) {
    INFERD_ASSIGN_OR_RETURN(const int64_t device, ParseInteger(rest.substr(second + 1), 0, kMax));
    limit.device = static_cast<int32_t>(device);
  }
  for (const ResourceLimit& other : options.resources.limits) {
    if (other.name != limit.name || other.device != limit.device) continue;
    return base::InvalidArgument("resource '" + limit.name + "' is given twice");
  }
  options.resources.limits.push_back(std::move(limit));
  return base::OkStatus();
}

// Parses "0-3" or "2".
base::Status AddCores(std::string_view text, std::vector<int>& cores) {
  const size_t dash = text.find('-');
  INFERD_ASSIGN_OR_RETURN(const int64_t first, ParseInteger(text.substr(0, dash), 0, kCoresMax - 1));
  int64_t last = first;
  if (dash != std::string_view::npos) {
    INFERD_ASSIGN_OR_RETURN(last, ParseInteger(text.substr(dash + 1), first, kCoresMax - 1));
  }
  for (int64_t core = first; core <= last; ++core) {
    if (std::ranges::find(cores, core) == cores.end()) cores.push_back(static_cast<int>(core));
  }
  return base::OkStatus();
}

// Parses POLICY,SETTING=VALUE. Each call adds one setting of a policy.
base::Status SetHostPolicy(ServerOptions& options, std::string_view text) {
  const size_t comma = text.find(',');
  const size_t equals = text.find('=', comma == std::string_view::npos ? text.size() : comma);
  if (equals == std::string_view::npos || comma == 0) {
    return base::InvalidArgument("expected POLICY,numa-node=N or POLICY,cpu-cores=FIRST-LAST, got '" +
                                 std::string(text) + "'");
  }
  const std::string_view name = text.substr(0, comma);
  auto& policies = options.resources.host_policies;
  auto policy = std::ranges::find(policies, name, &HostPolicy::name);
  if (policy == policies.end()) policy = policies.insert(policies.end(), HostPolicy{.name = std::string(name)});
  const std::string_view setting = text.substr(comma + 1, equals - comma - 1);
  const std::string_view value = text.substr(equals + 1);
  if (setting == "cpu-cores") return AddCores(value, policy->cpu_cores);
  if (setting == "numa-node") {
    INFERD_ASSIGN_OR_RETURN(const int64_t node, ParseInteger(value, 0, kCoresMax - 1));
    policy->numa_node = static_cast<int>(node);
    return base::OkStatus();
  }
  constexpr std::string_view kSettings[] = {"cpu-cores", "numa-node"};
  return base::InvalidArgument("there is no setting '" + std::string(setting) + "'" +
                               base::SuggestName(setting, kSettings));
}

constexpr std::string_view kLocalSettings[] = {"size", "ttl"};
constexpr std::string_view kRedisSettings[] = {"host", "port", "user", "password", "db", "timeout", "ttl", "shared",
                                               // Settings of Triton's cache.
                                               "connect_timeout", "socket_timeout", "pool_size", "wait_timeout",
                                               "tls_enabled", "cert", "key", "cacert", "cacert_dir", "sni"};

// Parses bare milliseconds, as in Triton. 0 means no limit there, but this server never waits without one: it is
// ignored.
base::Status SetMilliseconds(std::chrono::milliseconds& time, std::string_view value) {
  constexpr int64_t kMost = std::chrono::milliseconds(std::chrono::hours(1)).count();
  INFERD_ASSIGN_OR_RETURN(const int64_t parsed, ParseInteger(value, 0, kMost));
  if (parsed != 0) time = std::chrono::milliseconds(parsed);
  return base::OkStatus();
}

// Returns the field of a text setting. Null if it is none.
std::string* TextSetting(CacheOptions& cache, std::string_view setting) {
  const std::pair<std::string_view, std::string*> texts[] = {
      {"host", &cache.host},
      {"user", &cache.user},
      {"password", &cache.password},
      {"shared", &cache.shared_name},
      {"cert", &cache.tls.certificate_file},
      {"key", &cache.tls.key_file},
      {"cacert", &cache.tls.ca_file},
      {"cacert_dir", &cache.tls.ca_folder},
      {"sni", &cache.tls.name},
  };
  const auto* const found = std::ranges::find(texts, setting, [](const auto& text) { return text.first; });
  return found == std::end(texts) ? nullptr : found->second;
}

// Sets a setting that the cache has.
base::Status SetCacheSetting(CacheOptions& cache, std::string_view setting, std::string_view value) {
  if (std::string* const text = TextSetting(cache, setting); text != nullptr) {
    *text = value;
  } else if (setting == "size") {
    INFERD_ASSIGN_OR_RETURN(cache.bytes_max, ParseBytes(value));
  } else if (setting == "ttl") {
    INFERD_ASSIGN_OR_RETURN(cache.ttl, ParseDuration(value));
  } else if (setting == "timeout") {
    INFERD_ASSIGN_OR_RETURN(cache.lookup_timeout, ParseDuration(value));
    if (cache.lookup_timeout.count() == 0) return base::InvalidArgument("expected a time, got 0");
  } else if (setting == "socket_timeout") {
    return SetMilliseconds(cache.lookup_timeout, value);
  } else if (setting == "connect_timeout") {
    return SetMilliseconds(cache.connect_timeout, value);
  } else if (setting == "port") {
    INFERD_ASSIGN_OR_RETURN(const int64_t port, ParseInteger(value, 1, std::numeric_limits<uint16_t>::max()));
    cache.port = static_cast<uint16_t>(port);
  } else if (setting == "db") {
    INFERD_ASSIGN_OR_RETURN(const int64_t database, ParseInteger(value, 0, std::numeric_limits<int32_t>::max()));
    cache.database = static_cast<uint32_t>(database);
  } else if (setting == "tls_enabled") {
    INFERD_ASSIGN_OR_RETURN(cache.tls.enabled, ParseBool(value));
  } else {
    // For pool_size and wait_timeout: there is one connection, for which nobody waits.
    INFERD_ASSIGN_OR_RETURN([[maybe_unused]] const int64_t meant_for_triton,
                            ParseInteger(value, 0, std::numeric_limits<int32_t>::max()));
  }
  return base::OkStatus();
}

// Quotes a name only if it has a name's form: after a misplaced separator it may be a (secret) value.
base::Status UnknownName(const std::string& what, std::string_view name, std::span<const std::string_view> known) {
  const auto is_of_name = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  if (!std::ranges::all_of(name, is_of_name)) return base::InvalidArgument(what + " of that name");
  return base::InvalidArgument(what + " '" + std::string(name) + "'" + base::SuggestName(name, known));
}

// Parses CACHE,SETTING=VALUE. Each call adds one setting of the only cache.
base::Status AddCacheSetting(ServerOptions& options, std::string_view text) {
  const size_t comma = text.find(',');
  const size_t equals = text.find('=', comma == std::string_view::npos ? text.size() : comma);
  if (equals == std::string_view::npos || comma == 0 || equals == comma + 1) {
    return base::InvalidArgument("expected CACHE,SETTING=VALUE");
  }
  constexpr std::string_view kCaches[] = {"local", "redis"};
  const std::string_view name = text.substr(0, comma);
  const std::string_view setting = text.substr(comma + 1, equals - comma - 1);
  const bool local = name == "local";
  if (!local && name != "redis") return UnknownName("there is no cache", name, kCaches);
  const CacheStore store = local ? CacheStore::kLocal : CacheStore::kRedis;
  if (options.cache.store != CacheStore::kNone && options.cache.store != store) {
    return base::InvalidArgument("multiple cache configurations: 'local' and 'redis' exclude each other");
  }
  const auto known = local ? std::span<const std::string_view>(kLocalSettings) : kRedisSettings;
  if (std::ranges::find(known, setting) == known.end()) {
    return UnknownName("cache '" + std::string(name) + "' has no setting", setting, known);
  }
  options.cache.store = store;
  base::Status status = SetCacheSetting(options.cache, setting, text.substr(equals + 1));
  return status.ok() ? status : status.WithContext(std::string(setting));
}

template <std::vector<int32_t> DefaultBatching::* sizes>
base::Status AddBatchSize(ServerOptions& options, std::string_view text) {
  INFERD_ASSIGN_OR_RETURN(const int64_t size, ParseInteger(text, 1, std::numeric_limits<int32_t>::max()));
  (options.default_batching.*sizes).push_back(static_cast<int32_t>(size));
  return base::OkStatus();
}

}  // namespace

// Settings have commas, so host policies are separated by semicolons.
std::vector<Option> SchedulingRows() {
  return {
      Plain<&S::latency_objective_us>(kScheduling, "latency-objective-us", "US",
                                      "what 99 of 100 requests are to take at most, for models with batching: AUTO "
                                      "that do not say"),
      Plain<&S::inline_execution_max_us>(kScheduling, "inline-execution-max-us", "US",
                                         "models whose executions are measured to be quicker run on threads that serve "
                                         "connections, where they do not say; 0: none does"),
      Plain<&S::default_batching, &DefaultBatching::max_queue_delay_us>(
          kScheduling, "default-batch-delay-us", "US",
          "how long requests wait for company, of models whose configuration says nothing of batching"),
      {.group = kScheduling,
       .name = "default-preferred-batch-size",
       .value_name = "N",
       .help = "their preferred batch sizes",
       .repeated = true,
       .set = AddBatchSize<&DefaultBatching::preferred_batch_sizes>,
       .print = PrintNothing},
      {.group = kScheduling,
       .name = "default-allowed-batch-size",
       .value_name = "N",
       .help = "their executions' numbers of rows, ascending: batches are filled up to the next",
       .repeated = true,
       .set = AddBatchSize<&DefaultBatching::allowed_batch_sizes>,
       .print = PrintNothing},
      Plain<&S::default_batching, &DefaultBatching::pad_to_largest_shape>(
          kScheduling, "pad-to-largest-shape", "",
          "their requests of different shapes share executions, filled up to the largest"),
      Plain<&S::default_batching, &DefaultBatching::resource>(
          kScheduling, "default-batch-resource", "NAME",
          "a resource of the whole server of which each of their executions needs one"),
      Plain<&S::default_batching, &DefaultBatching::split_large_requests>(
          kScheduling, "split-large-requests", "", "they split requests of more rows than --default-max-batch-size"),
      Plain<&S::version_batching>(
          kScheduling, "version-batching", "",
          "batching_params.pbtxt in their versions' folders says all that in place of the options; without it they do "
          "not batch"),
      {.group = kScheduling,
       .name = "rate-limit",
       .value_name = kRateLimit,
       .help = "whether executions wait for the resources that their instance groups name",
       .set = SetRateLimit,
       .print = PrintRateLimit},
      {.group = kScheduling,
       .name = "rate-limit-resource",
       .value_name = "NAME:COUNT[:DEVICE]",
       .help = "how much there is of a resource; where it is not said: the most that one instance needs",
       .repeated = true,
       .set = AddResourceLimit,
       .print = PrintNothing},
      {.group = kScheduling,
       .name = "host-policy",
       .value_name = "POLICY,SETTING=VALUE",
       .help = "where instances of that host policy run: cpu-cores=0-3, or numa-node=1",
       .repeated = true,
       .separator = ';',
       .set = SetHostPolicy,
       .print = PrintNothing},
      {.group = kScheduling,
       .name = "cache-config",
       .value_name = "CACHE,SETTING=VALUE",
       .help = "where responses are kept of models with response_cache { enable: true }: local,size=BYTES or "
               "redis,host=HOST, and other settings of these; default: nowhere",
       .repeated = true,
       .separator = ';',
       .set = AddCacheSetting,
       .print = PrintNothing},
  };
}

}  // namespace inferd::config
