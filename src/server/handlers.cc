#include "server/handlers.h"

#include <utility>

#include "frontends/oip_http/handler.h"
#include "server/option_mapping.h"

namespace inferd::server {

Handlers::Handlers(const config::ServerOptions& options, HandlerServices services)
    : services_(std::move(services)), oip_http_options_(OipHttpOptions(options)) {}

std::unique_ptr<net::HttpHandler> Handlers::Http(net::Loop& loop) const {
  return oip_http::MakeHandler({.options = oip_http_options_,
                                .access = services_.access.http(),
                                .dispatcher = *services_.dispatchers[loop.index()],
                                .catalog = services_.catalog,
                                .pool = services_.pool,
                                .logger = services_.logger,
                                .clock = services_.clock,
                                .metrics_text = [this] { return services_.registry.PrometheusText(); }});
}

std::unique_ptr<net::HttpHandler> Handlers::Metrics(net::Loop&) const {
  return oip_http::MakeMetricsHandler(oip_http_options_, services_.access.http(), services_.catalog, services_.pool,
                                      [this] { return services_.registry.PrometheusText(); });
}

}  // namespace inferd::server
