#include "protocols/oip_http/front_end.h"

#include <string>
#include <utility>

#include "base/version/version.h"
#include "config/personality.h"
#include "protocols/common_options.h"
#include "protocols/oip_http/handler.h"
#include "protocols/oip_http/router.h"

namespace inferd::oip_http {

namespace {

class OipHttp final : public protocol::FrontEnd {
 public:
  explicit OipHttp(const protocol::Settings& settings) : options_(OptionsOf(settings.options)) {
    options_.outputs = &settings.outputs;
  }

  std::unique_ptr<net::HttpHandler> HttpHandler(const protocol::Services& services) const override {
    return MakeHandler({.options = options_,
                        .access = services.access,
                        .dispatcher = services.dispatcher,
                        .catalog = services.catalog,
                        .pool = services.pool,
                        .logger = services.logger,
                        .clock = services.clock,
                        .regions = services.regions,
                        .load = services.load,
                        .metrics_text = [&registry = services.registry] { return registry.PrometheusText(); }});
  }

  std::unique_ptr<net::HttpHandler> MetricsHandler(const protocol::Services& services) const override {
    return MakeMetricsHandler(options_, services.access, services.catalog, services.pool,
                              [&registry = services.registry] { return registry.PrometheusText(); });
  }

  bool IsVital(const net::RequestHead& head) const override {
    const RouteResult found = FindRoute(head.method, head.segments);
    if (!found.found) return false;
    const access::Group group = GroupOf(found.route.endpoint);
    return group == access::Group::kHealth || group == access::Group::kMetrics;
  }

 private:
  Options options_;
};

// Clients of other servers may compare their texts. Advice names models and tensors, so any access rule excludes it.
bool GivesAdvice(const config::ServerOptions& options) {
  const config::AccessOptions& access = options.access;
  return options.personality == &config::DefaultPersonality() && access.http_rules.empty() &&
         access.grpc_rules.empty() && access.token_rules.empty();
}

}  // namespace

Options OptionsOf(const config::ServerOptions& options) {
  Options oip;
  protocol::SetRestOptions(options, oip);
  oip.advice = GivesAdvice(options);
  oip.server_name = options.server_name;
  oip.server_version = std::string(base::BuildVersion());
  switch (options.health_bodies) {
    case config::HealthBodies::kAuto: oip.health_bodies = HealthBodies::kAccepted; break;
    case config::HealthBodies::kEmpty: oip.health_bodies = HealthBodies::kEmpty; break;
    case config::HealthBodies::kJson: oip.health_bodies = HealthBodies::kJson; break;
  }
  switch (options.json_nonfinite) {
    case config::JsonNonFinite::kTokens: oip.nonfinite = tensorjson::NonFinite::kTokens; break;
    case config::JsonNonFinite::kStrings: oip.nonfinite = tensorjson::NonFinite::kStrings; break;
    case config::JsonNonFinite::kNull: oip.nonfinite = tensorjson::NonFinite::kNull; break;
    case config::JsonNonFinite::kError: oip.nonfinite = tensorjson::NonFinite::kError; break;
  }
  oip.triton_exact = options.personality->triton_exact;
  oip.failures_are_events = oip.triton_exact;
  if (oip.triton_exact) oip.compress_bytes_min = 0;
  if (oip.triton_exact) oip.json_bytes_option = "--http-max-input-size";
  if (oip.triton_exact) oip.regions_disabled = protocol::kTritonRegionsDisabled;
  oip.control_bodies = oip.detail_bodies = options.personality->kserve_answers;
  oip.texts.model_not_ready = options.personality->model_not_ready;
  return oip;
}

std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings& settings) {
  return std::make_unique<OipHttp>(settings);
}

}  // namespace inferd::oip_http
