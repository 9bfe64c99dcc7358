#include "server/handlers.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "net/event_loop.h"
#include "net/payloadlog/logged_handler.h"
#include "protocols/common_options.h"
#include "server/grpc_services.h"
#include "server/http/cors_handler.h"
#include "server/http/path_switch.h"
#include "server/option_mapping.h"
#include "server/payloads/logged_requests.h"
#include "server/served_models.h"

namespace inferd::server {

namespace {

rest::Options RestOptions(const config::ServerOptions& options) {
  rest::Options rest;
  protocol::SetRestOptions(options, rest);
  return rest;
}

}  // namespace

Handlers::Handlers(const config::ServerOptions& options, protocol::FrontEnds front_ends, HandlerServices services)
    : services_(std::move(services)),
      front_ends_(std::move(front_ends)),
      grpc_on_http_port_(options.grpc_calls.on_http_port),
      cors_origins_(options.http_cors_allow_origins),
      cors_options_(RestOptions(options)),
      grpc_options_(GrpcOptions(options)),
      call_metrics_(std::make_unique<net::grpc::CallMetrics>(services_.registry)) {}

std::unique_ptr<net::HttpHandler> Handlers::Http(net::Loop& loop) const {
  return Logged(loop, grpc_on_http_port_ ? Grpc(loop, Rest(loop)) : Rest(loop));
}

std::unique_ptr<net::HttpHandler> Handlers::Grpc(net::Loop& loop) const { return Logged(loop, Grpc(loop, nullptr)); }

std::unique_ptr<net::HttpHandler> Handlers::Logged(net::Loop& loop, std::unique_ptr<net::HttpHandler> handler) const {
  if (services_.payload_log == nullptr) return handler;
  return payloadlog::MakeLoggedHandler(*services_.payload_log, IsInference,
                                       static_cast<net::EventLoop&>(loop).replies(), std::move(handler));
}

protocol::Services Handlers::ServicesOf(const net::Loop& loop, const access::Policy& access) const {
  return {.access = access,
          .dispatcher = *services_.dispatchers[loop.index()],
          .catalog = services_.catalog,
          .pool = services_.pool,
          .logger = services_.logger,
          .clock = services_.clock,
          .registry = services_.registry,
          .draining = services_.draining,
          .request_log = &services_.request_logs,
          .call_model = [&models = services_.models](
                            std::unique_ptr<core::InferRequest> request,
                            core::Completion completion) { models.Call(std::move(request), std::move(completion)); },
          .reload =
              [this](std::string_view config, core::ControlCallback done) {
                ReloadModels({services_.catalog, services_.request_logs, services_.logger}, config, std::move(done));
              },
          .regions = services_.regions,
          .load = services_.load};
}

std::unique_ptr<net::HttpHandler> Handlers::Rest(net::Loop& loop) const {
  const protocol::Services services = ServicesOf(loop, services_.access.http());
  std::vector<ClaimedPaths> claimed;
  for (const auto& front_end : front_ends_) {
    std::unique_ptr<net::HttpHandler> handler = front_end->HttpHandler(services);
    if (handler == nullptr) continue;
    if (!front_end->has_own_cors()) handler = WithCors(std::move(handler));
    claimed.push_back({.claims = [&front_end = *front_end, &models = services.dispatcher](
                                     const net::RequestHead& head) { return front_end.ClaimsFor(head, models); },
                       .handler = std::move(handler),
                       .refusal_form = front_end->refusal_form()});
  }
  ClaimedPaths rest = std::move(claimed.back());
  claimed.pop_back();
  return MakePathSwitch(std::move(claimed), std::move(rest));
}

std::unique_ptr<net::HttpHandler> Handlers::WithCors(std::unique_ptr<net::HttpHandler> handler) const {
  if (cors_origins_.empty()) return handler;
  return MakeCorsHandler(cors_origins_, cors_options_, services_.logger, std::move(handler));
}

std::unique_ptr<net::HttpHandler> Handlers::Grpc(net::Loop& loop, std::unique_ptr<net::HttpHandler> fallback) const {
  return net::grpc::MakeHandler(
      {.options = grpc_options_, .pool = services_.pool, .clock = services_.clock, .metrics = call_metrics_.get()},
      GrpcMethods(front_ends_, ServicesOf(loop, services_.access.grpc())), std::move(fallback));
}

std::unique_ptr<net::HttpHandler> Handlers::Metrics(net::Loop& loop) const {
  const protocol::Services services = ServicesOf(loop, services_.access.http());
  for (const auto& front_end : front_ends_) {
    if (auto handler = front_end->MetricsHandler(services)) return handler;
  }
  std::unreachable();
}

net::VitalRequest Handlers::VitalRequests() const {
  return [this](const net::RequestHead& head) {
    return std::ranges::any_of(front_ends_, [&head](const auto& front_end) { return front_end->IsVital(head); });
  };
}

}  // namespace inferd::server
