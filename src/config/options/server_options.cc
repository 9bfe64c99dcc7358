#include "config/options/server_options.h"

#include <algorithm>
#include <set>

#include "base/name_pattern.h"
#include "config/options/served_model.h"
#include "config/remote_uri.h"
#include "config/served_name.h"

namespace inferd::config {
namespace {

base::Status CheckTls(const std::string& listener, const TlsOptions& tls) {
  if (tls.certificate_file.empty() != tls.key_file.empty()) {
    return base::InvalidArgument("--" + listener + "-tls-certificate and --" + listener + "-tls-key go together");
  }
  if (!tls.client_ca_file.empty() && tls.certificate_file.empty()) {
    return base::InvalidArgument("--" + listener + "-tls-client-ca needs --" + listener + "-tls-certificate");
  }
  return base::OkStatus();
}

base::Status CheckListeners(const ServerOptions& options) {
  INFERD_RETURN_IF_ERROR(CheckTls("http", options.http.tls));
  INFERD_RETURN_IF_ERROR(CheckTls("grpc", options.grpc.tls));
  INFERD_RETURN_IF_ERROR(CheckTls("metrics", options.metrics.tls));
  if (!options.tcp) {
    if (!options.http.unix_socket.empty() || !options.grpc.unix_socket.empty()) return base::OkStatus();
    return base::InvalidArgument(
        "--tcp=false leaves nothing to listen on: give --http-unix-socket, --grpc-unix-socket");
  }
  if (!options.http.enabled && !options.grpc.enabled) {
    return base::InvalidArgument("--http=false and --grpc=false leave nothing to listen on");
  }
  struct Named {
    std::string_view name;
    const ListenerOptions& listener;
  };
  const Named all[] = {{"http", options.http}, {"grpc", options.grpc}, {"metrics", options.metrics}};
  for (const Named& a : all) {
    for (const Named& b : all) {
      if (a.name >= b.name || !a.listener.enabled || !b.listener.enabled || a.listener.port == 0) continue;
      if (a.listener.port != b.listener.port || a.listener.address != b.listener.address) continue;
      return base::InvalidArgument("--" + std::string(a.name) + "-port and --" + std::string(b.name) +
                                   "-port are both " + std::to_string(a.listener.port));
    }
  }
  return base::OkStatus();
}

base::Status CheckPattern(const std::string& option, const std::string& pattern) {
  const auto created = base::NamePattern::Create(pattern);
  return created.has_value() ? base::OkStatus() : created.error().WithContext("--" + option);
}

base::Status CheckServedModels(const ServedModelOptions& served) {
  std::set<std::string_view> names;
  for (const BasePathOptions& model : served.base_paths) {
    INFERD_RETURN_IF_ERROR(CheckServedName(model.name));
    if (!IsRemoteUri(model.path)) INFERD_RETURN_IF_ERROR(CheckBasePath(model.name, model.path));
    if (!names.insert(model.name).second) {
      return base::InvalidArgument("two models are named '" + model.name +
                                   "': give them names, --model-base-path NAME=PATH");
    }
  }
  if (!served.base_paths.empty() && !served.config_file.empty()) {
    return base::InvalidArgument("--model-base-path and --model-config-file exclude each other");
  }
  if (served.config_poll.count() > 0 && served.config_file.empty()) {
    return base::InvalidArgument("--model-config-poll-interval needs --model-config-file");
  }
  return base::OkStatus();
}

base::Status CheckPayloadLog(const PayloadLogOptions& log) {
  if (log.workers == 0 || log.workers > 256) return base::InvalidArgument("--payload-log-workers must be 1 to 256");
  if (log.source.empty()) return base::InvalidArgument("--payload-log-source must not be empty");
  return base::OkStatus();
}

base::Status CheckTraces(const TraceOptions& trace) {
  if (trace.mode == TraceMode::kFile && trace.level != TraceLevel::kOff && trace.file.empty()) {
    return base::InvalidArgument("--trace-level needs --trace-file, or --trace-mode=otlp");
  }
  if (trace.otlp_queue_max == 0) return base::InvalidArgument("--trace-otlp-queue-max must be at least 1");
  if (trace.otlp_batch_max == 0) return base::InvalidArgument("--trace-otlp-batch-max must be at least 1");
  return base::OkStatus();
}

base::Status CheckModels(const ServerOptions& options) {
  INFERD_RETURN_IF_ERROR(CheckServedModels(options.served));
  const bool names_models = !options.served.base_paths.empty() || !options.served.config_file.empty();
  if (options.repositories.empty() && options.model_files.empty() && !names_models && !options.list_engines) {
    return base::InvalidArgument("nothing to serve: name a model file, or a folder of models with --model-repository");
  }
  if (names_models && options.control_mode == ControlMode::kExplicit) {
    return base::InvalidArgument("--model-base-path and --model-config-file need --model-control-mode=poll or none");
  }
  std::set<std::string> names;
  for (const RepositoryOptions& repository : options.repositories) {
    if (names.insert(repository.name).second) continue;
    return base::InvalidArgument("two model repositories are named '" + repository.name +
                                 "': give them names, --model-repository NAME=PATH");
  }
  if (!options.load_models.empty() && options.control_mode != ControlMode::kExplicit) {
    return base::InvalidArgument("--load-model needs --model-control-mode=explicit");
  }
  if (options.load_models.size() > 1 && std::ranges::find(options.load_models, "*") != options.load_models.end()) {
    return base::InvalidArgument("Wildcard model name '*' must be the ONLY startup model if specified at all.");
  }
  if (options.model_config_name.find('/') != std::string::npos) {
    return base::InvalidArgument("--model-config-name: expected the name of a file, got '" + options.model_config_name +
                                 "'");
  }
  if (options.control_mode == ControlMode::kPoll && options.poll_interval.count() == 0) {
    return base::InvalidArgument("--poll-interval must not be 0; --model-control-mode=none turns polling off");
  }
  if (options.loader_threads == 0 || options.loader_threads > 256) {
    return base::InvalidArgument("--loader-threads must be from 1 to 256");
  }
  constexpr uint64_t kBudgetMax = std::numeric_limits<int64_t>::max();
  if (options.lazy.memory_budget > kBudgetMax) {
    return base::InvalidArgument("--model-memory-budget must be below 8 EiB");
  }
  if (options.lazy.gpu_memory_budget > kBudgetMax) {
    return base::InvalidArgument("--gpu-memory-budget must be below 8 EiB");
  }
  if (!options.lazy.pinned_models.empty() && !options.lazy.on()) {
    return base::InvalidArgument("--pinned-model needs --lazy-loading or a budget");
  }
  if (options.lazy.waiters_max == 0) return base::InvalidArgument("--load-waiters-max must be at least 1");
  return base::OkStatus();
}

// Checks the form that a browser sends (RFC 6454, 6.2): scheme, host, and port unless it is the scheme's default.
bool IsOrigin(std::string_view text) {
  const size_t colon = text.find("://");
  if (colon == std::string_view::npos || colon == 0 || colon + 3 == text.size()) return false;
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~' && (c < 'A' || c > 'Z'); }) &&
         text.find_first_of("/*", colon + 3) == std::string_view::npos;
}

base::Status CheckOrigins(const std::vector<std::string>& origins) {
  for (const std::string& origin : origins) {
    if (origin == "*" || IsOrigin(origin)) continue;
    return base::InvalidArgument(
        "--http-cors-allow-origin: expected '*' or an origin as browsers write it, "
        "https://app.example.org or http://localhost:3000, got '" +
        origin + "'");
  }
  return base::OkStatus();
}

base::Status CheckCache(const CacheOptions& cache) {
  if (cache.store == CacheStore::kLocal && cache.bytes_max == 0) {
    return base::InvalidArgument("--cache-config=local needs size=BYTES");
  }
  const RedisTlsOptions& tls = cache.tls;
  if (tls.certificate_file.empty() != tls.key_file.empty()) {
    return base::InvalidArgument("--cache-config=redis: 'cert' and 'key' go together");
  }
  const bool speaks_of_tls = !(tls.certificate_file + tls.ca_file + tls.ca_folder + tls.name).empty();
  if (speaks_of_tls && !tls.enabled) {
    return base::InvalidArgument(
        "--cache-config=redis: 'cert', 'key', 'cacert', 'cacert_dir' and 'sni' need tls_enabled=true");
  }
  return base::OkStatus();
}

}  // namespace

base::Status CheckServerOptions(const ServerOptions& options) {
  INFERD_RETURN_IF_ERROR(CheckPayloadLog(options.payload_log));
  INFERD_RETURN_IF_ERROR(CheckTraces(options.trace));
  INFERD_RETURN_IF_ERROR(CheckModels(options));
  INFERD_RETURN_IF_ERROR(CheckListeners(options));
  INFERD_RETURN_IF_ERROR(CheckPattern("http-header-forward-pattern", options.http_header_forward_pattern));
  INFERD_RETURN_IF_ERROR(CheckPattern("grpc-header-forward-pattern", options.grpc_header_forward_pattern));
  INFERD_RETURN_IF_ERROR(CheckOrigins(options.http_cors_allow_origins));
  INFERD_RETURN_IF_ERROR(CheckCache(options.cache));
  if (options.grpc_calls.message_bytes_max == 0) {
    return base::InvalidArgument("--grpc-message-bytes-max must be at least 1");
  }
  if (options.latency_objective_us == 0) return base::InvalidArgument("--latency-objective-us must be at least 1");
  if (options.loop_threads > 256) return base::InvalidArgument("--loop-threads must be at most 256");
  if (options.limits.json_depth_max == 0 || options.limits.json_depth_max > 10'000) {
    return base::InvalidArgument("--json-depth-max must be from 1 to 10000");
  }
  if (options.limits.stream_responses_max == 0 || options.limits.stream_bytes_max == 0) {
    return base::InvalidArgument("--stream-responses-max and --stream-bytes-max must be at least 1");
  }
  constexpr uint32_t kRegionsMax = 4096;
  const ClientMemoryOptions& memory = options.client_memory;
  if (memory.regions_max == 0 || memory.regions_max > kRegionsMax || memory.region_bytes_max == 0) {
    return base::InvalidArgument(
        "--client-shared-memory-regions-max must be from 1 to 4096, and --client-shared-memory-region-bytes-max at "
        "least 1");
  }
  return base::OkStatus();
}

}  // namespace inferd::config
