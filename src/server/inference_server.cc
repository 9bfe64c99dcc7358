#include "server/inference_server.h"

#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/thread_pool.h"
#include "core/inflight_limit.h"
#include "core/local_dispatcher.h"
#include "core/snapshot_publisher.h"
#include "frontends/oip_http/handler.h"
#include "metrics/registry.h"
#include "net/loop_group.h"
#include "net/server.h"
#include "repository/manager.h"
#include "scheduling/deadline_watch.h"
#include "scheduling/direct_scheduler.h"
#include "scheduling/inference_metrics.h"
#include "server/access_policies.h"
#include "server/engine_set.h"
#include "server/option_mapping.h"
#include "server/process_metrics.h"

namespace inferd::server {

// In the order of construction: what stands below may use what stands above.
struct InferenceServer::Parts {
  Parts(const config::ServerOptions& server_options, base::Logger& server_logger, EngineSet engine_set,
        AccessPolicies policies)
      : options(server_options),
        logger(server_logger),
        engines(std::move(engine_set)),
        access(std::move(policies)),
        inflight(options.limits.requests_in_flight_max),
        deadlines(clock),
        inference_metrics(registry),
        loops(options.loop_threads),
        oip_options(OipHttpOptions(options)),
        net_server(loops, NetLimits(options.limits), &registry, logger) {
    manager = std::make_unique<repository::Manager>(
        ManagerOptionsOf(options),
        repository::ManagerServices{
            .snapshots = snapshots,
            .engines = engines.engines(),
            .scheduler_factory = scheduling::MakeSchedulerFactory(
                SchedulerOptions(options), {.clock = clock, .deadlines = deadlines, .metrics = inference_metrics}),
            .clock = clock,
            .logger = logger,
            .metrics = registry});
    pool = std::make_unique<base::ThreadPool>("codec", std::max(1u, std::thread::hardware_concurrency()));
    for (size_t i = 0; i < loops.size(); ++i) {
      dispatchers.push_back(std::make_unique<core::LocalDispatcher>(snapshots, inflight, clock));
    }
  }

  // Requests end before what they use: connections, then models, then the threads that carried them.
  ~Parts() {
    net_server.Stop();
    manager->Shutdown();
    pool.reset();
    loops.Stop();
  }

  const config::ServerOptions options;
  base::Logger& logger;
  const base::SystemClock clock;
  metrics::Registry registry;
  const EngineSet engines;
  AccessPolicies access;
  core::SnapshotPublisher snapshots;
  core::InflightLimit inflight;
  scheduling::DeadlineWatch deadlines;
  scheduling::InferenceMetrics inference_metrics;
  net::LoopGroup loops;
  std::unique_ptr<repository::Manager> manager;
  std::unique_ptr<base::ThreadPool> pool;
  std::vector<std::unique_ptr<core::LocalDispatcher>> dispatchers;  // by loop index
  const oip_http::Options oip_options;
  net::Server net_server;

  base::Status Listen(std::string name, const config::ListenerOptions& listener, net::HandlerFactory handlers);
  base::Status ListenAll();
};

base::Status InferenceServer::Parts::Listen(std::string name, const config::ListenerOptions& listener,
                                            net::HandlerFactory handlers) {
  if (!listener.enabled) return base::OkStatus();
  net::ListenerOptions net_listener = Listener(name, listener);
  net_listener.handlers = std::move(handlers);
  INFERD_RETURN_IF_ERROR(net_server.Listen(std::move(net_listener)));
  logger.Info("listening", {{"listener", name},
                            {"address", listener.address},
                            {"port", std::to_string(net_server.port(name))},
                            {"tls", listener.tls.certificate_file.empty() ? "no" : "yes"}});
  return base::OkStatus();
}

base::Status InferenceServer::Parts::ListenAll() {
  const auto metrics_text = [this] { return registry.PrometheusText(); };
  INFERD_RETURN_IF_ERROR(Listen("http", options.http, [this, metrics_text](net::Loop& loop) {
    return oip_http::MakeHandler({.options = oip_options,
                                  .access = access.http(),
                                  .dispatcher = *dispatchers[loop.index()],
                                  .catalog = *manager,
                                  .pool = *pool,
                                  .logger = logger,
                                  .clock = clock,
                                  .metrics_text = metrics_text});
  }));
  return Listen("metrics", options.metrics, [this, metrics_text](net::Loop&) {
    return oip_http::MakeMetricsHandler(oip_options, access.http(), *manager, *pool, metrics_text);
  });
}

InferenceServer::InferenceServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
InferenceServer::~InferenceServer() = default;

base::Result<std::unique_ptr<InferenceServer>> InferenceServer::Start(const config::ServerOptions& options,
                                                                      base::Logger& logger) {
  INFERD_ASSIGN_OR_RETURN(EngineSet engines, EngineSet::Open(options, logger));
  INFERD_ASSIGN_OR_RETURN(AccessPolicies access, AccessPolicies::Open(options));
  auto parts = std::make_unique<Parts>(options, logger, std::move(engines), std::move(access));
  RegisterProcessMetrics(parts->registry);
  INFERD_RETURN_IF_ERROR(parts->ListenAll());
  INFERD_RETURN_IF_ERROR(parts->manager->Start());
  return std::unique_ptr<InferenceServer>(new InferenceServer(std::move(parts)));
}

uint16_t InferenceServer::port(std::string_view listener) const { return parts_->net_server.port(listener); }

bool InferenceServer::ready() const { return parts_->manager->ServerReady(); }

std::string InferenceServer::StartupFailure() const { return parts_->manager->StartupFailure(); }

void InferenceServer::ReloadCredentials() {
  const auto report = [&logger = parts_->logger](std::string_view what, const base::Status& status) {
    if (status.ok()) return logger.Info(std::string(what) + " read again");
    logger.Error(std::string(what) + " not read again; the old ones stay in use", {{"reason", status.message()}});
  };
  report("certificates", parts_->net_server.ReloadTls());
  if (!parts_->options.access.token_rules.empty()) report("tokens", parts_->access.Reload());
}

bool InferenceServer::Drain() {
  Parts& parts = *parts_;
  parts.logger.Info("draining: not ready any more",
                    {{"grace_ms", std::to_string(parts.options.drain_grace.count())},
                     {"timeout_ms", std::to_string(parts.options.drain_timeout.count())}});
  parts.manager->BeginDrain();
  std::this_thread::sleep_for(parts.options.drain_grace);
  parts.net_server.BeginDrain();
  const bool idle = parts.net_server.WaitUntilIdle(parts.options.drain_timeout);
  if (!idle) {
    parts.logger.Warning("drain timeout passed: requests are left unanswered",
                         {{"requests", std::to_string(parts.net_server.requests_in_flight())},
                          {"connections", std::to_string(parts.net_server.connections())}});
  }
  parts.net_server.Stop();
  parts.manager->Shutdown();
  return idle;
}

}  // namespace inferd::server
