#include "protocols/kserve_v1/front_end.h"

#include <optional>
#include <utility>

#include "config/model/model_config.h"
#include "protocols/common_options.h"
#include "protocols/kserve_v1/codec/cloud_event.h"
#include "protocols/kserve_v1/handler.h"
#include "protocols/kserve_v1/router.h"
#include "protocols/v2/bodies/whole_body.h"

namespace inferd::kserve_v1 {

namespace {

// Returns the dialect in the answering model's configuration. A model that takes KServe's bodies has KServe's dialect.
std::optional<config::V1Dialect> DialectOf(core::Dispatcher& models, std::string_view model) {
  const auto found = models.Find(model, "");
  if (!found.has_value()) return std::nullopt;
  const config::ModelConfig* const configuration = (*found)->configuration();
  if (configuration != nullptr && configuration->v1_dialect.has_value()) return configuration->v1_dialect;
  return v2::TakesWholeBody((*found)->signature()) ? std::optional(config::V1Dialect::kKserve) : std::nullopt;
}

class KserveV1 final : public protocol::FrontEnd {
 public:
  explicit KserveV1(const protocol::Settings& settings) : options_(OptionsOf(settings.options)) {
    options_.outputs = &settings.outputs;
  }

  bool Claims(const net::RequestHead& head) const override { return IsOurs(head, FindRoute(head), std::nullopt); }

  bool ClaimsFor(const net::RequestHead& head, core::Dispatcher& models) const override {
    const Route route = FindRoute(head);
    if (route.endpoint == Endpoint::kNone) return false;
    return IsOurs(head, route, route.model.empty() ? std::nullopt : DialectOf(models, route.model));
  }

  std::unique_ptr<net::HttpHandler> HttpHandler(const protocol::Services& services) const override {
    return MakeHandler({.options = options_,
                        .access = services.access,
                        .dispatcher = services.dispatcher,
                        .catalog = services.catalog,
                        .pool = services.pool,
                        .logger = services.logger,
                        .clock = services.clock,
                        .call_model = services.call_model});
  }

  bool IsVital(const net::RequestHead& head) const override {
    const Endpoint endpoint = FindRoute(head).endpoint;
    return (endpoint == Endpoint::kAlive || endpoint == Endpoint::kModel) && Claims(head);
  }

 private:
  bool IsOurs(const net::RequestHead& head, const Route& route, std::optional<config::V1Dialect> dialect) const {
    const Share& share = options_.share;
    const bool asked_for = dialect == config::V1Dialect::kKserve;
    const bool refused = dialect == config::V1Dialect::kTensorflowServing;
    switch (route.endpoint) {
      case Endpoint::kNone: return false;
      case Endpoint::kAlive: return share.own;
      case Endpoint::kModels: return share.status;
      case Endpoint::kWrongVerb: return share.status && !refused && head.segments.size() > 1;
      case Endpoint::kModel: return asked_for || (share.status && !refused);
      case Endpoint::kExplain: return asked_for || share.own;
      case Endpoint::kPredict:
        if (dialect.has_value()) return asked_for;
        return share.predictions || (share.events && CloudEvent::IsIn(head));
    }
    std::unreachable();
  }

  Options options_;
};

}  // namespace

Options OptionsOf(const config::ServerOptions& options) {
  Options kserve;
  protocol::SetRestOptions(options, kserve);
  const bool nothing = options.v1_predict == config::V1Predict::kTfs;
  kserve.share = {.status = options.v1_status == config::V1Status::kKserve,
                  .predictions = options.v1_predict == config::V1Predict::kKserve,
                  .events = !nothing,
                  .own = !nothing};
  kserve.events = options.v1_events;
  return kserve;
}

std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings& settings) {
  return std::make_unique<KserveV1>(settings);
}

}  // namespace inferd::kserve_v1
