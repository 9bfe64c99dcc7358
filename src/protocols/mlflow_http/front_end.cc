#include "protocols/mlflow_http/front_end.h"

#include "protocols/common_options.h"
#include "protocols/mlflow_http/handler.h"
#include "protocols/mlflow_http/router.h"

namespace inferd::mlflow_http {

namespace {

class MlflowHttp final : public protocol::FrontEnd {
 public:
  explicit MlflowHttp(const protocol::Settings& settings) {
    protocol::SetRestOptions(settings.options, options_);
    options_.model = settings.options.invocations_model;
    options_.outputs = &settings.outputs;
  }

  bool Claims(const net::RequestHead& head) const override { return FindRoute(head).endpoint != Endpoint::kNone; }

  std::unique_ptr<net::HttpHandler> HttpHandler(const protocol::Services& services) const override {
    return MakeHandler({.options = options_,
                        .access = services.access,
                        .dispatcher = services.dispatcher,
                        .catalog = services.catalog,
                        .pool = services.pool,
                        .logger = services.logger,
                        .clock = services.clock});
  }

  bool IsVital(const net::RequestHead& head) const override { return FindRoute(head).endpoint == Endpoint::kPing; }

 private:
  Options options_;
};

}  // namespace

std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings& settings) {
  return std::make_unique<MlflowHttp>(settings);
}

}  // namespace inferd::mlflow_http
