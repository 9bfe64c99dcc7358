#include "server/handlers.h"

#include <utility>

#include "frontends/oip_http/handler.h"
#include "frontends/tfs_http/handler.h"
#include "frontends/tfs_http/router.h"
#include "server/grpc_services.h"
#include "server/http/cors_handler.h"
#include "server/http/path_switch.h"
#include "server/option_mapping.h"
#include "server/served_models.h"

namespace inferd::server {

namespace {

template <typename Options>
Options Charging(Options options, base::ByteBudget& outputs) {
  options.outputs = &outputs;
  return options;
}

}  // namespace

Handlers::Handlers(const config::ServerOptions& options, HandlerServices services)
    : services_(std::move(services)),
      grpc_on_http_port_(options.grpc_calls.on_http_port),
      cors_origins_(options.http_cors_allow_origins),
      oip_http_options_(Charging(OipHttpOptions(options), services_.outputs)),
      tfs_http_options_(Charging(TfsHttpOptions(options), services_.outputs)),
      oip_grpc_options_(OipGrpcOptions(options)),
      tfs_grpc_options_(TfsGrpcOptions(options)),
      grpc_options_(GrpcOptions(options)),
      call_metrics_(std::make_unique<net::grpc::CallMetrics>(services_.registry)) {}

std::unique_ptr<net::HttpHandler> Handlers::Http(net::Loop& loop) const {
  return grpc_on_http_port_ ? Grpc(loop, Rest(loop)) : Rest(loop);
}

std::unique_ptr<net::HttpHandler> Handlers::Grpc(net::Loop& loop) const { return Grpc(loop, nullptr); }

std::unique_ptr<net::HttpHandler> Handlers::Rest(net::Loop& loop) const {
  // With --tfs-cors, TensorFlow Serving's API has its own server's headers, for any origin.
  auto v1 = tfs_http_options_.cors ? TfsHttp(loop) : WithCors(TfsHttp(loop));
  return MakePathSwitch(
      [this](const net::RequestHead& head) { return tfs_http::IsOurs(head, tfs_http_options_.metrics_path); },
      std::move(v1), WithCors(OipHttp(loop)));
}

std::unique_ptr<net::HttpHandler> Handlers::WithCors(std::unique_ptr<net::HttpHandler> handler) const {
  if (cors_origins_.empty()) return handler;
  return MakeCorsHandler(cors_origins_, oip_http_options_, services_.logger, std::move(handler));
}

std::unique_ptr<net::HttpHandler> Handlers::TfsHttp(net::Loop& loop) const {
  return tfs_http::MakeHandler({.options = tfs_http_options_,
                                .access = services_.access.http(),
                                .dispatcher = *services_.dispatchers[loop.index()],
                                .catalog = services_.catalog,
                                .pool = services_.pool,
                                .logger = services_.logger,
                                .clock = services_.clock,
                                .metrics = std::make_unique<tfs::RequestMetrics>(services_.registry, "REST"),
                                .request_log = &services_.request_logs,
                                .metrics_text = [this] { return services_.registry.PrometheusText(); }});
}

std::unique_ptr<net::HttpHandler> Handlers::OipHttp(net::Loop& loop) const {
  return oip_http::MakeHandler({.options = oip_http_options_,
                                .access = services_.access.http(),
                                .dispatcher = *services_.dispatchers[loop.index()],
                                .catalog = services_.catalog,
                                .pool = services_.pool,
                                .logger = services_.logger,
                                .clock = services_.clock,
                                .metrics_text = [this] { return services_.registry.PrometheusText(); }});
}

std::unique_ptr<net::HttpHandler> Handlers::Grpc(net::Loop& loop, std::unique_ptr<net::HttpHandler> fallback) const {
  auto methods = GrpcMethods(
      {.options = oip_grpc_options_,
       .dispatcher = *services_.dispatchers[loop.index()],
       .catalog = services_.catalog,
       .pool = services_.pool,
       .logger = services_.logger,
       .clock = services_.clock},
      {.options = tfs_grpc_options_,
       .dispatcher = *services_.dispatchers[loop.index()],
       .catalog = services_.catalog,
       .pool = services_.pool,
       .logger = services_.logger,
       .clock = services_.clock,
       .metrics = std::make_unique<tfs::RequestMetrics>(services_.registry, "GRPC"),
       .request_log = &services_.request_logs,
       .reload =
           [this](std::string_view config, core::ControlCallback done) {
             ReloadModels({services_.catalog, services_.request_logs, services_.logger}, config, std::move(done));
           },
       .counter_total = [this](std::string_view name) { return services_.registry.CounterTotal(name); }},
      {.catalog = services_.catalog, .draining = services_.draining, .services = {}}, services_.access.grpc());
  return net::grpc::MakeHandler(
      {.options = grpc_options_, .pool = services_.pool, .clock = services_.clock, .metrics = call_metrics_.get()},
      std::move(methods), std::move(fallback));
}

std::unique_ptr<net::HttpHandler> Handlers::Metrics(net::Loop&) const {
  return oip_http::MakeMetricsHandler(oip_http_options_, services_.access.http(), services_.catalog, services_.pool,
                                      [this] { return services_.registry.PrometheusText(); });
}

}  // namespace inferd::server
