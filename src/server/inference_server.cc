#include "server/inference_server.h"

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/byte_budget.h"
#include "base/clock.h"
#include "base/machine/port_holder.h"
#include "base/metrics/registry.h"
#include "base/system/usable_cpus.h"
#include "base/thread_pool.h"
#include "config/personality.h"
#include "config/tfs/server_files.h"
#include "net/loop_group.h"
#include "net/server.h"
#include "protocols/clientshm/registry.h"
#include "server/access_policies.h"
#include "server/engine_set.h"
#include "server/front_ends.h"
#include "server/gpus/gpu_metrics.h"
#include "server/gpus/pinned_metrics.h"
#include "server/handlers.h"
#include "server/model_config_watch.h"
#include "server/option_mapping.h"
#include "server/payloads/logged_requests.h"
#include "server/process/machine_metrics.h"
#include "server/process/process_metrics.h"
#include "server/recorded_warmups.h"
#include "server/records/request_logs.h"
#include "server/remote/remote_models.h"
#include "server/served_models.h"
#include "serving/cache/response_cache.h"
#include "serving/core/calls/local_server_calls.h"
#include "serving/core/inflight_limit.h"
#include "serving/core/local_dispatcher.h"
#include "serving/core/model_caller.h"
#include "serving/core/snapshot_publisher.h"
#include "serving/repository/manager.h"
#include "serving/scheduling/held_threads.h"
#include "serving/scheduling/metrics/batching_session_metrics.h"
#include "serving/scheduling/metrics/inference_metrics.h"
#include "serving/scheduling/queue/deadline_watch.h"
#include "serving/scheduling/resources/host_policies.h"
#include "serving/scheduling/resources/resource_arbiter.h"
#include "serving/scheduling/scheduler_factory.h"
#include "serving/tracing/tracer.h"

namespace inferd::server {

namespace {

// The last part of the grace time, in which no connection is accepted. It is as long as a handshake may take.
constexpr std::chrono::milliseconds kRefusing{200};
// The time for loops to close their connections after the drain. A loop that exceeds it is reported as blocked.
constexpr std::chrono::milliseconds kLoopsMax{1000};

// Metrics for dashboards that were made for TensorFlow Serving.
std::unique_ptr<scheduling::BatchingSessionMetrics> MakeBatchingSession(const config::ServerOptions& options,
                                                                        metrics::Registry& registry) {
  if (!options.personality->tfs_exact) return nullptr;
  const std::string& pool = options.default_batching.resource;
  return std::make_unique<scheduling::BatchingSessionMetrics>(
      registry, pool.empty() ? std::string(config::kBatchThreadPool) : pool);
}

base::Status WithPortHolder(const base::Status& status, uint16_t port, const std::string& option) {
  const std::string holder = base::DescribePortHolder(port);
  if (holder.empty()) return status;
  return {status.code(), status.message() + ": " + holder + ". Stop it, or choose another port with " + option};
}

repository::RecordedWarmups RecordedWarmupsOf(const config::ServerOptions& options) {
  if (!options.recorded_warmups) return nullptr;
  const RecordedWarmupOptions reading{.times = options.recorded_warmup_times,
                                      .check_methods = options.tfs_method_check};
  return [reading](const std::filesystem::path& version_dir, const core::PinnedModel& version) {
    return ReadRecordedWarmups(version_dir, version, reading);
  };
}

}  // namespace

// The parts in construction order: a part may only use earlier ones.
struct InferenceServer::Parts {
  Parts(const config::ServerOptions& server_options, base::Logger& server_logger, EngineSet engine_set,
        AccessPolicies policies, std::optional<std::vector<config::ServedModel>> served,
        std::unique_ptr<tracing::TraceExporter> exporter, std::shared_ptr<net::TlsContext> cache_tls,
        const payloadlog::PayloadLog::SinkMaker& payload_sinks, FrontEndsMaker make_front_ends)
      : options(server_options),
        logger(server_logger),
        engines(std::move(engine_set)),
        access(std::move(policies)),
        inflight(InflightBounds(options.limits)),
        outputs(OutputBytesMax(options.limits)),
        deadlines(clock),
        request_logs(
            registry, logger, clock,
            {.files = {.bytes_max = options.log.request_file_bytes_max, .files_max = options.log.request_files_max}}),
        batching_session(MakeBatchingSession(options, registry)),
        inference_metrics(registry, batching_session.get(),
                          {.latency_counters = server_options.latency_counters,
                           .summary_quantiles = server_options.summary_quantiles,
                           .summarizes_cached_requests = !server_options.personality->triton_exact}),
        resources(options.resources, CpuThreadsAtOnce(options)),
        host_policies(options.resources.host_policies),
        held_threads(logger),
        payload_log(MakePayloadLog(options.payload_log, payload_sinks, registry, logger)),
        tracer(options.trace, clock, std::move(exporter), tracing::CountersIn(registry)),
        cache(cache::ResponseCache::Make(options.cache, std::move(cache_tls), clock, registry, logger)),
        loops(options.loop_threads),
        net_server(loops, NetLimits(options.limits, options.grpc_calls.keepalive), &registry, logger) {
    if (options.client_memory.served) regions.emplace(RegionLimits(options.client_memory));
    manager = std::make_unique<repository::Manager>(
        ManagerOptionsOf(options, served),
        repository::ManagerServices{
            .snapshots = snapshots,
            .engines = engines.engines(),
            .scheduler_factory = MakeSchedulers(),
            .clock = clock,
            .logger = logger,
            .metrics = registry,
            .recorded_warmups = RecordedWarmupsOf(options),
            .group_cores = [this](const config::ModelConfig& config) { return host_policies.GroupCores(config); }});
    if (served.has_value()) {
      request_logs.Serve(*served);
      model_config_watch = std::make_unique<ModelConfigWatch>(options.served, *std::move(served),
                                                              ModelServing{*manager, request_logs, logger});
    }
    pool = std::make_unique<base::ThreadPool>("codec", static_cast<size_t>(base::UsableCpus()));
    core::DemandLoader* const loader = options.lazy.on() ? manager.get() : nullptr;
    model_caller = std::make_unique<const core::ModelCaller>(snapshots, clock, loader);
    server_calls = std::make_unique<core::LocalServerCalls>(*model_caller, *manager, registry, *pool);
    engines.CallWith(*model_caller, server_calls.get());
    std::vector<std::unique_ptr<core::Dispatcher>> dispatchers;
    for (size_t i = 0; i < loops.index_end(); ++i) {
      dispatchers.push_back(std::make_unique<core::LocalDispatcher>(snapshots, inflight, clock, loader, &tracer));
    }
    handlers = std::make_unique<const Handlers>(options, make_front_ends({.options = options, .outputs = outputs}),
                                                HandlerServices{.access = access,
                                                                .catalog = *manager,
                                                                .dispatchers = std::move(dispatchers),
                                                                .pool = *pool,
                                                                .logger = logger,
                                                                .clock = clock,
                                                                .registry = registry,
                                                                .models = *model_caller,
                                                                .request_logs = request_logs,
                                                                .draining = draining,
                                                                .regions = regions.has_value() ? &*regions : nullptr,
                                                                .load = &load,
                                                                .payload_log = payload_log.get()});
    RegisterOutputMetrics(registry, outputs);
  }

  core::SchedulerFactory MakeSchedulers() {
    core::SchedulerFactory made =
        scheduling::MakeSchedulerFactory(SchedulerOptions(options), {.clock = clock,
                                                                     .deadlines = deadlines,
                                                                     .metrics = inference_metrics,
                                                                     .resources = resources,
                                                                     .host_policies = host_policies,
                                                                     .held_threads = held_threads,
                                                                     .logger = logger,
                                                                     .outputs = &outputs});
    if (cache == nullptr) return cache::MakeUncachedFactory(std::move(made), logger);
    return cache->Wrap(std::move(made), {.snapshots = snapshots,
                                         .deadlines = deadlines,
                                         .clock = clock,
                                         .metrics = inference_metrics,
                                         .logger = logger});
  }

  void FollowRemoteModels() {
    const std::chrono::milliseconds every = options.remote_models.poll_interval;
    if (remote_models == nullptr || every.count() == 0 || options.control_mode == config::ControlMode::kNone) return;
    remote_models->Follow(every, registry);
  }

  // Destroys users before what they use: connections, then models, then the threads.
  ~Parts() {
    net_server.Stop();
    manager->Shutdown();
    engines.CallWith(*model_caller, nullptr);
    model_config_watch.reset();
    request_logs.Stop();
    pool.reset();
    loops.Stop();
  }

  const config::ServerOptions options;
  base::Logger& logger;
  const base::SystemClock clock;
  base::ProcessLoad load{clock};
  metrics::Registry registry;
  std::unique_ptr<RemoteModels> remote_models;  // null if all models are local
  const EngineSet engines;
  std::atomic<bool> draining{false};
  AccessPolicies access;
  core::SnapshotPublisher snapshots;
  core::InflightLimit inflight;
  base::ByteBudget outputs;  // responses that clients have not read
  scheduling::DeadlineWatch deadlines;
  RequestLogs request_logs;
  const std::unique_ptr<scheduling::BatchingSessionMetrics> batching_session;
  scheduling::InferenceMetrics inference_metrics;
  scheduling::ResourceArbiter resources;
  const scheduling::HostPolicies host_policies;
  scheduling::HeldThreads held_threads;
  const std::unique_ptr<payloadlog::PayloadLog> payload_log;  // null if off
  tracing::Tracer tracer;
  const std::unique_ptr<cache::ResponseCache> cache;  // null if off
  std::optional<clientshm::Registry> regions;         // clients' shared memory; nullopt if not served
  net::LoopGroup loops;
  std::unique_ptr<repository::Manager> manager;
  std::unique_ptr<const core::ModelCaller> model_caller;
  std::unique_ptr<core::LocalServerCalls> server_calls;
  std::unique_ptr<ModelConfigWatch> model_config_watch;  // null if no models are named
  std::unique_ptr<base::ThreadPool> pool;
  std::unique_ptr<const Handlers> handlers;
  net::Server net_server;
  std::optional<GpuMetrics> gpu_metrics;  // nullopt if off
  bool open = false;                      // true if the ports are open

  using MakeHandler = std::unique_ptr<net::HttpHandler> (Handlers::*)(net::Loop&) const;
  base::Status ListenAll();
  bool DueToOpen() const;
  base::Status Listen(const std::string& name, const config::ListenerOptions& listener, MakeHandler make_handler);
  base::Status Open(net::ListenerOptions listener, MakeHandler make_handler);
};

base::Status InferenceServer::Parts::ListenAll() {
  INFERD_RETURN_IF_ERROR(Listen("http", options.http, &Handlers::Http));
  INFERD_RETURN_IF_ERROR(Listen("grpc", options.grpc, &Handlers::Grpc));
  INFERD_RETURN_IF_ERROR(Listen("metrics", options.metrics, &Handlers::Metrics));
  net_server.Accept();
  open = true;
  return base::OkStatus();
}

bool InferenceServer::Parts::DueToOpen() const {
  switch (options.accept) {
    case config::AcceptWhen::kAtOnce: return true;
    // The ports stay closed if the server is about to exit because of an error.
    case config::AcceptWhen::kTried:
      return manager->StartupTried() && !(options.exit_on_error && !manager->StartupFailure().empty()) &&
             !(options.exit_on_bad_configuration && !manager->BadConfiguration().empty());
    case config::AcceptWhen::kReady: return manager->ServerReady();
  }
  std::unreachable();
}

base::Status InferenceServer::Parts::Listen(const std::string& name, const config::ListenerOptions& listener,
                                            MakeHandler make_handler) {
  // The text of these errors already names the address or the TLS file.
  const auto name_option = [&](const base::Status& status, const std::string& option) {
    if (options.personality->triton_exact && status.message().ends_with("Address already in use")) {
      const std::string service = name == "metrics" ? "Metrics" : name == "grpc" ? "GRPC" : "HTTP";
      return base::Unavailable("failed to start " + service + " service: Unavailable - Socket '" + listener.address +
                               ":" + std::to_string(listener.port) + "' already in use");
    }
    if (status.code() == base::StatusCode::kAlreadyExists && listener.port != 0) {
      return WithPortHolder(status, listener.port, option).WithContext(option);
    }
    return status.code() == base::StatusCode::kInvalidArgument ? status : status.WithContext(option);
  };
  base::Status status;
  if (options.tcp && listener.enabled)
    status = name_option(Open(Listener(name, listener), make_handler), "--" + name + "-port");
  if (status.ok() && !listener.unix_socket.empty()) {
    net::ListenerOptions own = UnixListener(name + "-unix", listener, *options.personality);
    own.unix_client_pid = options.unix_socket_client_pid;
    status = name_option(Open(std::move(own), make_handler), "--" + name + "-unix-socket");
  }
  return status;
}

base::Status InferenceServer::Parts::Open(net::ListenerOptions listener, MakeHandler make_handler) {
  const std::string name = listener.name;
  const std::string address = listener.unix_path.empty() ? listener.address : listener.unix_path;
  const bool is_tls = listener.tls.has_value();
  listener.apart = make_handler == &Handlers::Metrics;
  if (!listener.apart) listener.vital = handlers->VitalRequests();
  listener.handlers = [this, make_handler](net::Loop& loop) { return ((*handlers).*make_handler)(loop); };
  INFERD_RETURN_IF_ERROR(net_server.Bind(std::move(listener)));
  if (options.personality->triton_exact && name != "http-unix") {
    // Scripts wait for these lines.
    const std::string what = name == "http"   ? "HTTPService"
                             : name == "grpc" ? "GRPCInferenceService"
                                              : "Metrics Service";
    logger.Info("Started " + what + " at " + address + ":" + std::to_string(net_server.port(name)));
    return base::OkStatus();
  }
  logger.Info(
      "listening",
      {{"listener", name}, {"address", address}, {"port", net_server.port(name)}, {"tls", is_tls ? "yes" : "no"}});
  return base::OkStatus();
}

InferenceServer::InferenceServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
InferenceServer::~InferenceServer() = default;

base::Result<std::unique_ptr<InferenceServer>> InferenceServer::Start(const config::ServerOptions& given,
                                                                      base::Logger& logger,
                                                                      FrontEndsMaker make_front_ends) {
  config::ServerOptions options = given;
  INFERD_ASSIGN_OR_RETURN(auto remote_models, RemoteModels::Open(options, logger));
  INFERD_ASSIGN_OR_RETURN(EngineSet engines, EngineSet::Open(options, logger));
  INFERD_ASSIGN_OR_RETURN(AccessPolicies access, AccessPolicies::Open(options));
  if (const std::string gap = access.Gap(); !gap.empty()) logger.Warning(gap);
  INFERD_ASSIGN_OR_RETURN(auto served, ReadServedModels(options.served, logger));
  INFERD_ASSIGN_OR_RETURN(auto exporter, tracing::MakeExporter(options.trace, logger));
  INFERD_ASSIGN_OR_RETURN(const auto payload_sinks, MakeSinks(options.payload_log));
  INFERD_ASSIGN_OR_RETURN(auto cache_tls, cache::ResponseCache::LoadTls(options.cache));
  auto parts = std::make_unique<Parts>(options, logger, std::move(engines), std::move(access), std::move(served),
                                       std::move(exporter), std::move(cache_tls), payload_sinks, make_front_ends);
  parts->remote_models = std::move(remote_models);
  RegisterProcessMetrics(parts->registry);
  RegisterMachineMetrics(parts->registry);
  if (parts->engines.pinned_uses() != nullptr) RegisterPinnedMetrics(parts->registry, parts->engines.pinned_uses());
  if (options.metrics.enabled && options.gpus.metrics) {
    parts->gpu_metrics.emplace(parts->registry, logger, options.gpus.metrics_interval);
  }
  parts->access.LogWhoControls(logger);
  if (options.accept == config::AcceptWhen::kAtOnce) INFERD_RETURN_IF_ERROR(parts->ListenAll());
  INFERD_RETURN_IF_ERROR(parts->manager->Start());
  if (parts->model_config_watch != nullptr) parts->model_config_watch->Start();
  parts->FollowRemoteModels();
  return std::unique_ptr<InferenceServer>(new InferenceServer(std::move(parts)));
}

base::Result<bool> InferenceServer::OpenWhenDue() {
  if (!parts_->open && parts_->DueToOpen()) INFERD_RETURN_IF_ERROR(parts_->ListenAll());
  return parts_->open;
}

const core::Catalog& InferenceServer::catalog() const { return *parts_->manager; }

uint16_t InferenceServer::port(std::string_view listener) const { return parts_->net_server.port(listener); }

bool InferenceServer::ready() const { return parts_->manager->ServerReady(); }

std::string InferenceServer::StartupFailure() const { return parts_->manager->StartupFailure(); }

std::string InferenceServer::BadConfiguration() const { return parts_->manager->BadConfiguration(); }

bool InferenceServer::StartupTried() const { return parts_->manager->StartupTried(); }

bool InferenceServer::StartupFailed() const { return parts_->manager->StartupFailed(); }

void InferenceServer::ReloadCredentials() {
  const auto report = [&logger = parts_->logger](std::string_view what, const base::Status& status) {
    if (status.ok()) return logger.Info(std::string(what) + " read again");
    logger.Error(std::string(what) + " not read again; the old ones stay in use", {{"reason", status.message()}});
  };
  report("certificates", parts_->net_server.ReloadTls());
  if (!parts_->options.access.token_rules.empty()) report("tokens", parts_->access.Reload());
}

void InferenceServer::BeginNewLogFiles() { parts_->request_logs.BeginNewFiles(); }

size_t InferenceServer::UnloadBefore(std::chrono::steady_clock::time_point until) {
  return parts_->manager->ShutdownBefore(until);
}

InferenceServer::Drained InferenceServer::Drain() { return Drain(parts_->options.drain_grace); }

InferenceServer::Drained InferenceServer::Drain(std::chrono::milliseconds grace) {
  Parts& parts = *parts_;
  parts.logger.Info("draining: not ready any more",
                    {{"grace_ms", grace.count()}, {"timeout_ms", parts.options.drain_timeout.count()}});
  parts.draining.store(true, std::memory_order_relaxed);
  parts.manager->BeginDrain();
  parts.net_server.AnnounceDrain();
  const std::chrono::milliseconds refusing = std::min<std::chrono::milliseconds>(grace, kRefusing);
  std::this_thread::sleep_for(grace - refusing);
  parts.net_server.RefuseConnections();
  std::this_thread::sleep_for(refusing);
  parts.net_server.BeginDrain();
  const bool idle = parts.net_server.WaitUntilIdle(parts.options.drain_timeout);
  if (!idle) {
    parts.logger.Warning(
        "drain timeout passed: requests are left unanswered",
        {{"requests", parts.net_server.requests_in_flight()}, {"connections", parts.net_server.connections()}});
  }
  const std::vector<std::string> held = parts.net_server.StopWithin(kLoopsMax);
  if (held.empty()) return idle ? Drained::kWhole : Drained::kCut;
  std::string threads;
  for (const std::string& name : held) threads += (threads.empty() ? "" : ", ") + name;
  parts.logger.Error("threads that serve connections are held by executions; leaving without them",
                     {{"threads", threads}, {"held_by", parts.held_threads.Holders()}});
  return Drained::kStuck;
}

}  // namespace inferd::server
