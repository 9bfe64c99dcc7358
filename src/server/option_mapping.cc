#include "server/option_mapping.h"

#include <algorithm>
#include <utility>

#include "base/system/usable_cpus.h"
#include "config/base_path.h"
#include "config/personality.h"
#include "net/body/memory_budget.h"

namespace inferd::server {

namespace {

std::optional<net::TlsOptions> TlsOf(const config::ListenerOptions& listener) {
  if (listener.tls.certificate_file.empty()) return std::nullopt;
  return net::TlsOptions{.certificate_file = listener.tls.certificate_file,
                         .key_file = listener.tls.key_file,
                         .client_ca_file = listener.tls.client_ca_file,
                         .require_client_certificate = !listener.tls.client_ca_file.empty()};
}

}  // namespace

core::InflightLimit::Bounds InflightBounds(const config::LimitOptions& limits) {
  const uint64_t bodies = net::MemoryBudget(limits.body_bytes_in_flight_max).bytes_max();
  return {.requests = limits.requests_in_flight_max,
          .bytes = static_cast<int64_t>(std::min<uint64_t>(bodies, INT64_MAX))};
}

uint64_t OutputBytesMax(const config::LimitOptions& limits) {
  return net::MemoryBudget(limits.output_bytes_in_flight_max).bytes_max();
}

clientshm::Limits RegionLimits(const config::ClientMemoryOptions& memory) {
  return {.key_prefix = memory.key_prefix,
          .own_only = memory.owner == config::ClientMemoryOwner::kOwn,
          .regions_max = memory.regions_max,
          .region_bytes_max = memory.region_bytes_max,
          .bytes_max = net::MemoryBudget(memory.bytes_max).bytes_max()};
}

net::Limits NetLimits(const config::LimitOptions& limits, const config::GrpcKeepaliveOptions& keepalive) {
  return {.header_bytes_max = limits.header_bytes_max,
          .header_count_max = limits.header_count_max,
          .target_bytes_max = limits.target_bytes_max,
          .body_bytes_max = limits.body_bytes_max,
          .header_timeout = limits.header_timeout,
          .idle_timeout = limits.idle_timeout,
          .body_timeout = limits.body_timeout,
          .connections_max = limits.connections_max,
          .connections_per_loop = limits.connections_per_loop,
          .body_bytes_in_flight_max = limits.body_bytes_in_flight_max,
          .write_high_water = limits.write_high_water,
          .http2_streams_max = limits.http2_streams_max,
          .http2_keepalive = {.ping_every = keepalive.ping_every,
                              .ping_timeout = keepalive.ping_timeout,
                              .ping_without_calls = keepalive.ping_without_calls,
                              .client_ping_interval_min = keepalive.client_ping_interval_min,
                              .client_ping_strikes_max = keepalive.client_ping_strikes_max,
                              .pings_without_data_max = keepalive.pings_without_data_max},
          .http2_age_max = keepalive.connection_age_max,
          .http2_age_grace = keepalive.connection_age_grace,
          .keep_half_closed = limits.keep_half_closed};
}

net::ListenerOptions Listener(std::string name, const config::ListenerOptions& listener) {
  net::ListenerOptions options;
  options.name = std::move(name);
  options.address = listener.address;
  options.port = listener.port;
  options.tls = TlsOf(listener);
  return options;
}

net::ListenerOptions UnixListener(std::string name, const config::ListenerOptions& listener,
                                  const config::Personality& personality) {
  net::ListenerOptions options;
  options.name = std::move(name);
  options.unix_path = listener.unix_socket;
  if (personality.unix_socket_tls) options.tls = TlsOf(listener);
  return options;
}

net::grpc::Options GrpcOptions(const config::ServerOptions& options) {
  net::grpc::Options grpc;
  grpc.message_bytes_max = options.grpc_calls.message_bytes_max;
  grpc.compression_ratio_max = options.limits.decompression_ratio_max;
  if (options.personality->triton_exact) grpc.compress_bytes_min = 0;
  switch (options.grpc_calls.response_compression) {
    case config::GrpcCompressionLevel::kNone: grpc.response_compression_level = 0; break;
    case config::GrpcCompressionLevel::kLow: grpc.response_compression_level = 1; break;
    case config::GrpcCompressionLevel::kMedium: grpc.response_compression_level = 6; break;
    case config::GrpcCompressionLevel::kHigh: grpc.response_compression_level = 9; break;
  }
  grpc.web_allow_origin = options.grpc_calls.web_allow_origin;
  return grpc;
}

repository::ManagerOptions ManagerOptionsOf(const config::ServerOptions& options,
                                            std::optional<std::vector<config::ServedModel>> served) {
  repository::ManagerOptions manager;
  manager.sequence_grace_ms = options.drain_timeout.count();
  manager.served_models = std::move(served);
  manager.labels_for_unavailable_versions = options.served.early_labels;
  for (const auto& repository : options.repositories) {
    manager.repositories.push_back({.name = repository.name, .path = repository.path});
  }
  for (const std::string& file : options.model_files) {
    config::NamedPath named = config::SplitNamedPath(file);
    const std::string name = named.name.empty() ? "" : "model " + named.name;
    manager.repositories.push_back({.name = name, .path = named.path, .model = std::move(named.name)});
  }
  manager.control = options.control_mode;
  manager.poll_interval_ms = options.poll_interval.count();
  manager.new_models = options.new_models;
  manager.unload_removed = options.unload_removed;
  manager.startup_models = options.load_models;
  // Without exit_on_error, Triton serves the models that could be loaded.
  manager.checks_startup = options.exit_on_error || options.personality->name != "tritonserver";
  manager.needs_models = options.exit_on_error;
  manager.bad_configuration_ends_startup = options.exit_on_bad_configuration;
  manager.bad_configuration_fails_startup = options.personality->bad_configuration_fails_startup;
  manager.readiness = options.readiness;
  manager.ready_models = options.readiness_models;
  manager.version_transition = options.version_transition;
  manager.loader_threads = options.loader_threads;
  const config::LazyOptions& lazy = options.lazy;
  manager.lazy = {.enabled = lazy.on(),
                  .budget = {.bytes_max = static_cast<int64_t>(lazy.memory_budget),
                             .versions_max = lazy.versions_max,
                             .gpu_bytes_max = static_cast<int64_t>(lazy.gpu_memory_budget)},
                  .pinned_models = lazy.pinned_models,
                  .waiters_max = lazy.waiters_max,
                  .wait_max_ms = lazy.wait_max.count()};
  manager.model_config_name = options.model_config_name;
  const bool at_once = options.load_retry_interval.count() == 0;
  (at_once ? manager.load_repeats : manager.load_retries) = options.load_retries;
  manager.load_retry_ms = options.load_retry_interval.count();
  manager.tensorflow_metrics = options.personality->tfs_exact;
  manager.completion.default_max_batch_size = options.default_max_batch_size;
  manager.completion.unconfigured_batching = options.unconfigured_batching;
  manager.completion.batching_probe_ms = options.batching_probe_max.count();
  manager.completion.default_batching = options.default_batching;
  manager.completion.default_instance_count = options.default_instances;
  manager.completion.default_isolation = options.isolation;
  manager.completion.engine_parameters = options.engine_parameters;
  manager.completion.version_batching = options.version_batching;
  manager.completion.default_limits_requests = options.personality->default_batch_limits_requests;
  manager.completion.absent_gpus_are_cpus = options.personality->absent_gpus_are_cpus;
  manager.completion.prefer_tflite = options.prefer_tflite;
  manager.completion.complete = options.complete_configurations;
  manager.triton_exact = options.personality->triton_exact;
  manager.completion.triton_exact = options.personality->triton_exact;
  manager.completion.any_input_name = options.personality->any_input_name;
  manager.completion.platform_names = options.personality->platform_names;
  return manager;
}

int CpuThreads(const config::ServerOptions& options) {
  if (options.cpu_threads > 0) return static_cast<int>(options.cpu_threads);
  return base::UsableCpus();
}

// Executions take turns only if the operator sets a limit. Otherwise the kernel shares the cores, even among more
// clients than cores.
int CpuThreadsAtOnce(const config::ServerOptions& options) { return static_cast<int>(options.cpu_threads); }

scheduling::SchedulerOptions SchedulerOptions(const config::ServerOptions& options) {
  scheduling::SchedulerOptions scheduler;
  scheduler.queue_size_max = options.limits.queue_size_max;
  scheduler.delay_until_queued = options.delay_until_queued;
  scheduler.delay_until_backlog = options.delay_until_backlog;
  scheduler.ignores_barred_timeouts = options.personality->ignores_barred_timeouts;
  scheduler.latency_objective_ns = int64_t{options.latency_objective_us} * 1'000;
  scheduler.inline_service_ns_max = int64_t{options.inline_execution_max_us} * 1'000;
  return scheduler;
}

}  // namespace inferd::server
